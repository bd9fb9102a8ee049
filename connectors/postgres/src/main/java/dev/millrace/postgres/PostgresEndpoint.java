package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.Tls;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.regex.Pattern;

/// One way to one database: `postgres://host:port/database`.
///
/// Invariant: nothing but host, port and database comes from the address, and none of them can add a
/// property to the driver's (a JDBC URL's parameters can load classes).
record PostgresEndpoint(String host, int port, String database) {
    private static final Pattern AUTHORITY =
            Pattern.compile("([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?");
    private static final int DEFAULT_PORT = 5432;
    private static final int MOST_PORT = 65535;

    /// Throws `IllegalArgumentException` for user-info, parameters, fragments and anything else that is not
    /// meant.
    static PostgresEndpoint of(URI address) {
        var scheme = address.getScheme();
        if (!"postgres".equals(scheme) && !"postgresql".equals(scheme))
            throw new IllegalArgumentException("endpoint scheme " + scheme + " is not postgres");
        var authority = address.getRawAuthority() == null ? "" : address.getRawAuthority();
        if (authority.indexOf('@') >= 0)
            throw new IllegalArgumentException(
                    "a postgres endpoint names a user or password: they have their own keys");
        var matcher = AUTHORITY.matcher(authority);
        if (!matcher.matches()) throw new IllegalArgumentException("endpoint " + address + ": no host:port");
        if (address.getRawQuery() != null || address.getRawFragment() != null)
            throw new IllegalArgumentException("a postgres endpoint takes no parameters");
        var path = address.getRawPath() == null ? "" : address.getRawPath();
        if (path.length() < 2 || path.indexOf('/', 1) >= 0)
            throw new IllegalArgumentException("endpoint " + address + ": one database is named, as in /shop");
        var database = URLDecoder.decode(path.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
        new Identifier(database);
        var port = matcher.group(2) == null ? DEFAULT_PORT : Integer.parseInt(matcher.group(2));
        if (port < 1 || port > MOST_PORT) throw new IllegalArgumentException("port " + port + " not in [1, 65535]");
        return new PostgresEndpoint(matcher.group(1), port, database);
    }

    /// The driver's URL: three values and no parameter.
    String jdbcUrl() {
        return "jdbc:postgresql://" + host + ':' + port + '/' + URLEncoder.encode(database, StandardCharsets.UTF_8);
    }

    /// All that the driver is told besides. `loginLimit` bounds the TCP connect and each answer of the login.
    Properties properties(String user, String password, Tls tls, Duration loginLimit) {
        var seconds = Long.toString(Math.max(1, loginLimit.plusMillis(999).toSeconds()));
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("ApplicationName", "millrace");
        properties.setProperty("assumeMinServerVersion", "12");
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("socketTimeout", seconds);
        properties.setProperty("sslResponseTimeout", Long.toString(Math.max(1, loginLimit.toMillis())));
        // 0: on this thread. Any other value lets a thread of the driver's own go on after the caller gave up.
        properties.setProperty("loginTimeout", "0");
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("gssEncMode", "disable");
        properties.setProperty("socketFactory", WireSocketFactory.class.getName());
        // No named statements: a pooler between us and the server may give each transaction another session.
        properties.setProperty("prepareThreshold", "0");
        // The detail of an error holds rows.
        properties.setProperty("logServerErrorDetail", "false");
        properties.setProperty("raiseExceptionOnSilentRollback", "true");
        switch (tls) {
            case Tls.Off() -> properties.setProperty("sslmode", "disable");
            case Tls.VerifyFull(var caFile) -> {
                properties.setProperty("sslmode", "verify-full");
                if (caFile == null) properties.setProperty("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
                else properties.setProperty("sslrootcert", caFile.toString());
            }
        }
        return properties;
    }

    @Override
    public String toString() {
        return "postgres://" + host + ':' + port + '/' + database;
    }
}
