package dev.millrace.testkit;

/// One fault of a run: the `number`-th of its kind, from 1.
record FaultId(Fault kind, int number) {}
