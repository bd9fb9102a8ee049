package dev.millrace.http;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Secret;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one HTTP sink was told to do. `pipeline` is said to the server, as whose rows these are. `pingPath`
/// answers whether a replica would take a write; null where a connection tells enough. A connect takes at
/// most `connectTimeout`, a whole request what its attempt is given.
///
/// Throws `IllegalArgumentException`, with the value and the bound or the reason, for what can't be.
public record HttpSettings(
        String pipeline,
        Request request,
        Who who,
        Tls tls,
        Memory memory,
        @Nullable String pingPath,
        Duration connectTimeout) {
    public HttpSettings {
        if (connectTimeout.isNegative() || connectTimeout.isZero())
            throw new IllegalArgumentException("connect timeout " + connectTimeout + " is not above 0");
        if (pingPath != null && !pingPath.startsWith("/"))
            throw new IllegalArgumentException("http.ping_path " + pingPath + " does not begin with /");
    }

    /// How a batch is sent. `tokenHeader` carries its token. `headers` are the user's, whose values are
    /// asked for at every request; none that the sink owns. Prints none of them.
    public record Request(
            Method method,
            String contentType,
            Compression compression,
            String tokenHeader,
            Map<String, Secret> headers) {
        public Request {
            // In one order, so that a request is the same in every run.
            headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
        }

        @Override
        public String toString() {
            return "Request[" + method + ", " + contentType + ", " + compression + ", " + tokenHeader + ", headers="
                    + headers.keySet() + "]";
        }
    }

    /// How rows are brought.
    public enum Method {
        POST,
        PUT
    }

    /// What the user says that the server knows of tokens. `remembers`: for so long after it first saw one;
    /// null for not at all. `shared`: what one replica of a shard took, the others know too.
    public record Memory(@Nullable Duration remembers, boolean shared) {
        public static final Memory NONE = new Memory(null, true);

        public Memory {
            if (remembers != null && (remembers.isNegative() || remembers.isZero()))
                throw new IllegalArgumentException("http.remembers " + remembers + " is not above 0");
        }
    }
}
