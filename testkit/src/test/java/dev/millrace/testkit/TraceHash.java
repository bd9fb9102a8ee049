package dev.millrace.testkit;

/// Prints one hash over the traces of some seeds, so that two processes can be compared.
final class TraceHash {
    private TraceHash() {}

    public static void main(String[] arguments) {
        System.out.println(text(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1])));
    }

    static String text(long first, int count) {
        var hash = 0L;
        for (var seed = first; seed < first + count; seed++)
            hash = Mix.of(hash, Simulation.run(seed).traceHash());
        return Long.toHexString(hash);
    }
}
