package dev.millrace.http;

/// One line of the table of answers: what a status says of the batch that it answers, and what a person can
/// do about it.
///
/// `named`: only where the answer names, in `Retry-After`, when to ask again. `stored`: rows of the batch may be
/// stored.
record Rule(int status, boolean named, Says says, boolean stored, String words, String remedy) {
    /// Whom it is about.
    enum Says {
        /// Nobody: it has the rows.
        WRITTEN("nobody: the rows are stored", "counts the batch as written, and commits"),
        ROWS(
                "the rows",
                "divides the batch until the row is found; one that is refused while its neighbours are taken is a"
                        + " dead letter"),
        SIZE("the size of the request", "divides the batch until it fits; one row that does not is a dead letter"),
        SETTINGS(
                "address, method, header or right",
                "holds the batch, tells it, and asks again every retry.max; no breaker opens"),
        LOGIN("the login", "holds the batch, tells it, reads secrets again, and asks again every retry.max"),
        OVERLOAD("the shard, which has too much to do", "sends less to the shard, and the batch again when it may"),
        NOBODY("nobody: it is still busy with this token", "asks again after a pause; no breaker counts it"),
        REPLICA("this replica", "sends the batch again, to another replica if there is one; the breaker counts it");

        final String blames;
        final String does;

        Says(String blames, String does) {
            this.blames = blames;
            this.does = does;
        }
    }
}
