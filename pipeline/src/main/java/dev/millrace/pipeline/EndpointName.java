package dev.millrace.pipeline;

import java.net.URI;

/// An endpoint as a person calls it: its host and port.
final class EndpointName {
    private EndpointName() {}

    static String of(URI endpoint) {
        var authority = endpoint.getAuthority();
        return authority == null ? endpoint.toString() : authority;
    }
}
