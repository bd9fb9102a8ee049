package dev.millrace.config;

import java.time.Duration;

/// What a batch does that one replica may have stored, where the others would not recognise it: for
/// `pinFor` it waits for that replica, `then` decides. Zero for not at all.
public record AmbiguousConfig(Duration pinFor, Then then) {
    public enum Then {
        WAIT,
        RESEND
    }

    public AmbiguousConfig {
        Require.notNegative("pinFor", pinFor);
    }
}
