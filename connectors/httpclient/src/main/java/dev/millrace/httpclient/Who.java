package dev.millrace.httpclient;

/// As whom a sink writes. A secret is asked for at every request, so that a rotated one is taken up. Prints
/// none.
public sealed interface Who {
    /// As nobody: nothing is shown.
    record Nobody() implements Who {}

    /// By name and password.
    record User(String name, Secret password) implements Who {
        public User {
            if (name.isEmpty() || name.indexOf(':') >= 0)
                throw new IllegalArgumentException("a user's name is empty or holds a colon");
        }

        @Override
        public String toString() {
            return "User[name=" + name + ", password=***]";
        }
    }

    /// By what a token says.
    record Bearer(Secret token) implements Who {
        @Override
        public String toString() {
            return "Bearer[token=***]";
        }
    }
}
