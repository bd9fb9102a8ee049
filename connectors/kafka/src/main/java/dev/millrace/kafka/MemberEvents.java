package dev.millrace.kafka;

/// How the parts of one member tell its machine something.
///
/// Thread ownership: the source thread, but for `later`.
interface MemberEvents {
    /// Tells the machine at once.
    void now(SourceEvent event);

    /// Puts it into the inbox; from any thread, also from inside a poll.
    void later(SourceEvent event);

    /// Tells the machine what is in the inbox.
    void takeInbox();
}
