package dev.millrace.lab.clickhouse;

/// One request that a front has taken, and what became of it.
///
/// @param number from 1, in the order in which their heads arrived
/// @param wireBytes of the body as it came, compressed if it was
/// @param bodyBytes of the body as the engine got it
/// @param ran what the engine made of it
/// @param end what the client got of it
/// @param status of the answer, 0 while there is none
/// @param code of the exception in the answer or in the engine's refusal, 0 if there is none
public record LoggedRequest(
        long number, Asked asked, long wireBytes, long bodyBytes, Ran ran, End end, int status, int code) {
    /// What the engine made of a request.
    public enum Ran {
        /// It was not asked, or not yet.
        NO,
        DONE,
        REFUSED,
        /// It ended meanwhile, or the rows broke off: who asked cannot know.
        UNKNOWN
    }

    /// What the client got.
    public enum End {
        UNDER_WAY,
        /// The engine is done, and the answer is kept back.
        HELD,
        ANSWERED,
        /// The front cut it, as it was told.
        CUT,
        /// The client went away, or the engine's process ended.
        BROKEN
    }

    static LoggedRequest begun(long number, Asked asked) {
        return new LoggedRequest(number, asked, 0, 0, Ran.NO, End.UNDER_WAY, 0, 0);
    }

    public boolean insert() {
        return asked.insert();
    }

    public String token() {
        return asked.token();
    }

    LoggedRequest with(long wireBytes, long bodyBytes) {
        return new LoggedRequest(number, asked, wireBytes, bodyBytes, ran, end, status, code);
    }

    LoggedRequest with(Ran ran, int code) {
        return new LoggedRequest(number, asked, wireBytes, bodyBytes, ran, end, status, code);
    }

    LoggedRequest with(End end) {
        return new LoggedRequest(number, asked, wireBytes, bodyBytes, ran, end, status, code);
    }

    LoggedRequest answered(int status, int code) {
        return new LoggedRequest(number, asked, wireBytes, bodyBytes, ran, end, status, code);
    }
}
