package dev.millrace.testkit;

/// Numbers made of numbers: equal from equal, else spread over all values.
final class Mix {
    private Mix() {}

    static long of(long a) {
        var z = a + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    static long of(long a, long b) {
        return of(of(a) ^ b);
    }

    static long of(long a, long b, long c) {
        return of(of(a, b) ^ c);
    }
}
