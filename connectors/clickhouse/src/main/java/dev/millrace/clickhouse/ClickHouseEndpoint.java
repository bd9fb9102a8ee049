package dev.millrace.clickhouse;

import java.net.URI;

/// One replica's address: `http://host:port` or `https://host:port`.
///
/// Invariant: nothing but scheme, host and port comes from the address.
record ClickHouseEndpoint(String scheme, String authority) {
    /// Throws `IllegalArgumentException` for a path, a user, parameters and anything else that is not meant.
    static ClickHouseEndpoint of(URI address) {
        var scheme = address.getScheme();
        if (!"http".equals(scheme) && !"https".equals(scheme))
            throw new IllegalArgumentException("endpoint scheme " + scheme + " is neither http nor https");
        if (address.getRawUserInfo() != null)
            throw new IllegalArgumentException(
                    "a clickhouse endpoint names a user or password: they have their own keys");
        if (address.getHost() == null) throw new IllegalArgumentException("endpoint " + address + ": no host:port");
        var path = address.getRawPath();
        if ((path != null && !path.isEmpty() && !path.equals("/"))
                || address.getRawQuery() != null
                || address.getRawFragment() != null)
            throw new IllegalArgumentException("endpoint " + address + ": a host and a port, and nothing behind them");
        return new ClickHouseEndpoint(scheme, address.getRawAuthority());
    }

    /// With this query, which is encoded already.
    URI query(String query) {
        return URI.create(scheme + "://" + authority + "/?" + query);
    }

    URI address() {
        return URI.create(toString());
    }

    URI ping() {
        return URI.create(scheme + "://" + authority + "/ping");
    }

    @Override
    public String toString() {
        return scheme + "://" + authority;
    }
}
