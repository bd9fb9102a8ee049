package dev.millrace.lab.clickhouse;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/// Whom a front lets in, and how it is reached.
///
/// @param users passwords by names
/// @param tokens of `Authorization: Bearer`
/// @param tls with this key and trust, or in the clear without
/// @param clientCertificate whether TLS asks for one and refuses who has none
public record FrontSettings(
        Map<String, String> users, Set<String> tokens, Optional<SSLContext> tls, boolean clientCertificate) {
    public FrontSettings {
        users = Map.copyOf(users);
        tokens = Set.copyOf(tokens);
        if (clientCertificate && tls.isEmpty())
            throw new IllegalArgumentException("a client's certificate is asked for in TLS alone");
    }

    /// In the clear, and `default` without a password, as a server is after it was installed.
    public static FrontSettings open() {
        return new FrontSettings(Map.of("default", ""), Set.of(), Optional.empty(), false);
    }

    /// With one more user. Who names none is `default`.
    public FrontSettings user(String name, String password) {
        var more = new HashMap<>(users);
        more.put(name, password);
        return new FrontSettings(more, tokens, tls, clientCertificate);
    }

    /// Without this user.
    public FrontSettings without(String name) {
        var fewer = new HashMap<>(users);
        fewer.remove(name);
        return new FrontSettings(fewer, tokens, tls, clientCertificate);
    }

    public FrontSettings tokens(Set<String> accepted) {
        return new FrontSettings(users, accepted, tls, clientCertificate);
    }

    public FrontSettings tls(SSLContext context, boolean clientCertificate) {
        return new FrontSettings(users, tokens, Optional.of(context), clientCertificate);
    }
}
