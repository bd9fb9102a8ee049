package dev.millrace.lab;

/// A part of the lab did not do what it was told: it did not start in time, died, or refused a statement of the
/// test's own.
///
/// Unchecked, since a caller can only fail with it. The message says which part, what was asked, and where to
/// look.
public final class LabException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LabException(String message) {
        super(message);
    }

    public LabException(String message, Throwable cause) {
        super(message, cause);
    }
}
