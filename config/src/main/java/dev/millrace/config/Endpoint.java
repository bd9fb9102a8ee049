package dev.millrace.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The address of one replica of a shard. `toString` is its text in the file; it never holds a credential.
public sealed interface Endpoint {

    /// `postgres://host:port/database`.
    record Postgres(HostPort address, String database) implements Endpoint {
        public Postgres {
            Require.atLeast("port", address.port(), 1);
            Require.matches("database", isDatabase(database), database);
        }

        /// Reads `postgres://host:port/database`; null for anything else, user-info and queries included.
        static @Nullable Postgres parse(String text) {
            if (!text.startsWith("postgres://")) return null;
            var rest = text.substring("postgres://".length());
            var slash = rest.indexOf('/');
            if (slash < 0) return null;
            var address = HostPort.parse(rest.substring(0, slash));
            var database = rest.substring(slash + 1);
            return address == null || address.port() == 0 || !isDatabase(database)
                    ? null
                    : new Postgres(address, database);
        }

        private static boolean isDatabase(String text) {
            return !text.isEmpty()
                    && text.length() <= 63
                    && text.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || "_-.$".indexOf(c) >= 0));
        }

        @Override
        public String toString() {
            return "postgres://" + address + "/" + database;
        }
    }

    /// `http://host:port` or `https://host:port`.
    record Http(boolean encrypted, HostPort address) implements Endpoint {
        public Http {
            Require.atLeast("port", address.port(), 1);
        }

        /// Null for anything else: user-info, paths and queries included.
        static @Nullable Http parse(String text) {
            boolean encrypted = text.startsWith("https://");
            if (!encrypted && !text.startsWith("http://")) return null;
            var address = HostPort.parse(text.substring(text.indexOf("//") + 2));
            return address == null || address.port() == 0 ? null : new Http(encrypted, address);
        }

        @Override
        public String toString() {
            return (encrypted ? "https://" : "http://") + address;
        }
    }

    /// `http://host:port/path` or `https://host:port/path`: where a server takes rows.
    record Receiver(boolean encrypted, HostPort address, String path) implements Endpoint {
        private static final int LONGEST_PATH = 1024;
        private static final Pattern PATH = Pattern.compile("/([A-Za-z0-9._~!$&'()*+,;=:/-]|%[0-9A-Fa-f]{2})*");

        public Receiver {
            Require.atLeast("port", address.port(), 1);
            Require.matches("path", isPath(path), path);
        }

        /// Null for anything else: user-info and queries, which may be secrets, included.
        static @Nullable Receiver parse(String text) {
            var behind = text.startsWith("http://") ? 7 : text.startsWith("https://") ? 8 : -1;
            if (behind < 0) return null;
            var slash = text.indexOf('/', behind);
            var server = Http.parse(slash < 0 ? text : text.substring(0, slash));
            var path = slash < 0 ? "/" : text.substring(slash);
            return server == null || !isPath(path) ? null : new Receiver(server.encrypted(), server.address(), path);
        }

        static boolean isPath(String text) {
            return text.length() <= LONGEST_PATH && PATH.matcher(text).matches();
        }

        @Override
        public String toString() {
            return new Http(encrypted, address) + path;
        }
    }

    /// A name of a blackhole's replica, such as `blackhole:a`: nothing is there.
    record Blackhole(String name) implements Endpoint {
        public Blackhole {
            Require.matches("endpoint", isText(name), name);
        }

        static boolean isText(String text) {
            return !text.isEmpty() && text.length() <= 255 && text.chars().allMatch(c -> c > ' ' && c < 127);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
