package dev.millrace.httpclient;

/// Where a password or token comes from.
@FunctionalInterface
public interface Secret {
    /// The secret itself. Empty for a user who has none.
    String reveal();
}
