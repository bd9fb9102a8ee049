package dev.millrace.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether the page, metrics, health and status are served, where, and to whom. Port 0 is any free port.
public sealed interface AdminConfig {
    record Off() implements AdminConfig {}

    /// They are.
    ///
    /// @param tokenFile holds what allows to pause, drain and quarantine; null: nobody may
    /// @param hosts names it is asked by, beside those of loopback and of the address itself
    /// @param readers who may read more than health and metrics
    record Listening(HostPort listen, @Nullable Path tokenFile, List<String> hosts, Readers readers)
            implements AdminConfig {
        public Listening {
            hosts = List.copyOf(hosts);
        }

        public Listening(HostPort listen) {
            this(listen, null, List.of(), Readers.ANYONE);
        }

        Listening with(@Nullable Path file, List<String> names, Readers who) {
            return new Listening(listen, file, names, who);
        }
    }

    /// Who may read more than health and metrics.
    enum Readers {
        ANYONE,
        /// Whoever has the token of the token's file.
        TOKEN
    }
}
