package dev.millrace.sinkpool;

/// What a producer gets that asks for slots.
public sealed interface Reserved<T> permits Reservation, Refused {}
