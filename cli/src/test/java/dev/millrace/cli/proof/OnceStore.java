package dev.millrace.cli.proof;

import java.util.BitSet;
import java.util.SplittableRandom;

/// Where the rows of an arm of [EffectivelyOnceUnderFireTest] go: two shards that recognise what
/// they have, and everything that can befall them. Nothing in its tables but tokens keeps a row
/// from being there twice.
///
/// Thread ownership: the test's thread, and for [#ids] and [#count] any.
interface OnceStore extends AutoCloseable {
    int SHARDS = 2;

    /// Whether a row may never be there twice, whatever happens.
    boolean once();

    /// Of the sink, as `/status` names it.
    String level();

    /// Writes the sink into a pipeline's file.
    void into(Recipe recipe);

    /// Rows, and how many different ones they are.
    record Count(long rows, long distinct) {}

    Count count() throws Exception;

    /// Of the rows numbered from `first` to before `end` those that are there.
    BitSet ids(int first, int end) throws Exception;

    /// Numbers of rows that are there and are not as they were produced, or more often than once,
    /// as far as `once` forbids that; ten of them, in words.
    String wrong(OnceLoad load) throws Exception;

    /// The answers of the next so many writes of a shard are lost, after it stored them.
    void loseAnswers(int shard, int answers);

    /// Whatever the shards answer to a write is kept back.
    void holdAnswers();

    /// Answers that are kept back now.
    int held();

    /// Nobody answers at a shard: it refuses.
    void cut(int shard);

    /// A shard answers nothing, and goes on with what it was asked when it is healed.
    void silence(int shard);

    /// Ends all of these.
    void heal();

    /// Harms a server, and returns in which way.
    String harm(SplittableRandom chance) throws Exception;

    /// What was harmed works again.
    void mend() throws Exception;

    @Override
    void close();
}
