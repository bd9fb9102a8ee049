package dev.millrace.config;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A server that takes rows as the body of a request, and how they are brought. `contentType` is null for
/// what goes with the format. `headers` are the user's, by name. There is a user, with or without a password,
/// or a bearer token, or neither: then `user` is null. `remembers` is null where the server knows no tokens.
/// `pingPath` is null where a connection tells enough.
public record HttpConfig(
        Method method,
        @Nullable String contentType,
        Compression compression,
        String tokenHeader,
        SortedMap<String, Secret> headers,
        @Nullable String user,
        @Nullable Secret password,
        @Nullable Secret bearerToken,
        @Nullable Duration remembers,
        RememberedBy rememberedBy,
        @Nullable String pingPath,
        ClientTls tls)
        implements SinkKind {
    public HttpConfig {
        Require.matches("tokenHeader", HeadersType.isForTokens(tokenHeader), tokenHeader);
        var own = new TreeMap<String, Secret>(String.CASE_INSENSITIVE_ORDER);
        own.putAll(headers);
        headers = Collections.unmodifiableSortedMap(own);
        if (bearerToken != null && user != null) throw new IllegalArgumentException("a bearer token and a user");
        if (password != null && user == null) throw new IllegalArgumentException("a password and no user");
        if (remembers != null) Require.positive("remembers", remembers);
    }

    /// Of a request.
    public enum Method {
        POST,
        PUT
    }

    /// How the rows are packed on their way.
    public enum Compression {
        NONE,
        GZIP,
        LZ4,
        ZSTD
    }

    /// Who knows a token that was sent to one replica.
    public enum RememberedBy {
        SHARD,
        REPLICA
    }
}
