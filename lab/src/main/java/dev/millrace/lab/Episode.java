package dev.millrace.lab;

/// One stretch of time with one fault. Two episodes are the same only if they are one object, whatever their
/// faults.
final class Episode {
    private final Fault fault;

    Episode(Fault fault) {
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }
}
