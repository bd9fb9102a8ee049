package dev.millrace.http;

import java.net.URI;

/// One replica's address: `http://host:port/path` or `https://host:port/path`.
///
/// Invariant: no user, no parameters and no fragment, so that it may be told to anybody.
record HttpEndpoint(URI address) {
    HttpEndpoint {
        var scheme = address.getScheme();
        if ((!"http".equals(scheme) && !"https".equals(scheme)) || address.getHost() == null)
            throw new IllegalArgumentException("an endpoint is not http(s)://host:port/path");
        if (address.getRawUserInfo() != null || address.getRawQuery() != null || address.getRawFragment() != null)
            throw new IllegalArgumentException(
                    "endpoint " + scheme + "://" + address.getHost() + " has a user, parameters or a fragment");
    }

    URI at(String path) {
        return URI.create(address.getScheme() + "://" + address.getRawAuthority() + path);
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
