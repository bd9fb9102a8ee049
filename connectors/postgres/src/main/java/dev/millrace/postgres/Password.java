package dev.millrace.postgres;

/// Where the password comes from. Asked at every login, so that a rotated secret is taken up without a restart.
///
/// Thread ownership: shared; asked from any thread.
@FunctionalInterface
public interface Password {
    /// The secret itself. Empty for a server that asks for none.
    String reveal();

    /// One that never changes, and does not print.
    static Password of(String secret) {
        return new Password() {
            @Override
            public String reveal() {
                return secret;
            }

            @Override
            public String toString() {
                return "***";
            }
        };
    }
}
