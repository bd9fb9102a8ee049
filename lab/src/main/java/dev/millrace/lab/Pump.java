package dev.millrace.lab;

import dev.millrace.lab.Traffic.Direction;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// Forwards the bytes of one link in one direction, as the fault in force allows.
///
/// Invariant: bytes are forwarded in order, each once, and none after the link was cut.
///
/// Thread ownership: the one that runs it; [#awaitEnd] from any.
final class Pump implements Runnable {
    private static final int BLOCK = 64 * 1024;
    private static final int DRIPS_PER_SECOND = 20;

    private final Link link;
    private final Direction direction;
    private final Socket from;
    private final Socket to;
    private final FaultBoard board;
    private final CountDownLatch ended = new CountDownLatch(1);

    /// What holds for the episode the last block was forwarded in.
    private @Nullable Episode known;

    private long passed;
    private Random random = new Random(0);
    private ByteSearch search = Cue.ANY.search();

    Pump(Link link, Direction direction, Socket from, Socket to, FaultBoard board) {
        this.link = link;
        this.direction = direction;
        this.from = from;
        this.to = to;
        this.board = board;
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    @Override
    public void run() {
        try {
            pump();
        } catch (IOException | InterruptedException broken) {
            link.reset();
        } finally {
            ended.countDown();
        }
    }

    private void pump() throws IOException, InterruptedException {
        byte[] block = new byte[BLOCK];
        while (true) {
            int read = read(block);
            if (read < 0) {
                to.shutdownOutput();
                return;
            }
            if (!forward(block, read)) {
                link.reset();
                return;
            }
        }
    }

    // An end or a reset is swallowed by a black hole as bytes are: the other side hears of it afterwards.
    private int read(byte[] block) throws IOException, InterruptedException {
        try {
            int read = from.getInputStream().read(block);
            if (read < 0) board.awaitPassage();
            return read;
        } catch (IOException broken) {
            board.awaitPassage();
            throw broken;
        }
    }

    /// Returns false if the link must be reset instead of forwarding the rest.
    private boolean forward(byte[] block, int length) throws IOException, InterruptedException {
        int done = 0;
        while (done < length) {
            var episode = board.episode();
            begin(episode);
            int rest = length - done;
            switch (episode.fault()) {
                case Fault.None _ -> done += write(block, done, rest);
                case Fault.Refuse _ -> {
                    return false;
                }
                case Fault.BlackHole _ -> board.awaitEnd(episode);
                case Fault.Delay delay -> {
                    if (board.outlasts(episode, nanos(delay))) done += write(block, done, rest);
                }
                case Fault.SlowDrip drip -> done += drip(episode, drip, block, done, rest);
                case Fault.CutAfterUp(long bytes)
                when direction == Direction.UP -> {
                    done += write(block, done, (int) Math.min(rest, bytes - passed));
                    if (cutAt(bytes)) return false;
                }
                case Fault.CutAfterUp _ -> done += write(block, done, rest);
                case Fault.CutAfterDown(long bytes)
                when direction == Direction.DOWN -> {
                    done += write(block, done, (int) Math.min(rest, bytes - passed));
                    if (cutAt(bytes)) return false;
                }
                case Fault.CutAfterDown _ -> done += write(block, done, rest);
                case Fault.DropAnswers(Cue cue, long most) -> {
                    if (cued(cue, episode, block, done, length) && board.claimDrop(episode, most)) {
                        board.count(Traffic::droppedOne);
                        return false;
                    }
                    done += write(block, done, rest);
                }
                case Fault.HoldAnswers(Cue cue) -> {
                    if (cued(cue, episode, block, done, length)) board.hold(episode);
                    else done += write(block, done, rest);
                }
            }
        }
        return true;
    }

    private void begin(Episode episode) {
        if (known == episode) return;
        known = episode;
        passed = 0;
        switch (episode.fault()) {
            case Fault.Delay delay ->
                random = new Random(delay.seed() + 2 * link.number() + (direction == Direction.UP ? 0 : 1));
            case Fault.DropAnswers(Cue cue, long _) -> search = cue.search();
            case Fault.HoldAnswers(Cue cue) -> search = cue.search();
            case Fault.None _, Fault.Refuse _, Fault.BlackHole _, Fault.SlowDrip _ -> {}
            case Fault.CutAfterUp _, Fault.CutAfterDown _ -> {}
        }
    }

    private long nanos(Fault.Delay delay) {
        long jitter = delay.jitter().toNanos();
        return delay.base().toNanos() + (jitter == 0 ? 0 : random.nextLong(jitter));
    }

    private int drip(Episode episode, Fault.SlowDrip drip, byte[] block, int from, int rest)
            throws IOException, InterruptedException {
        int piece = Math.min(rest, Math.max(1, drip.bytesPerSecond() / DRIPS_PER_SECOND));
        if (!board.outlasts(episode, Duration.ofSeconds(piece).toNanos() / drip.bytesPerSecond())) return 0;
        return write(block, from, piece);
    }

    private boolean cutAt(long bytes) {
        if (passed < bytes) return false;
        board.count(Traffic::cutOne);
        return true;
    }

    /// Whether this block is an answer the cue means. Notes on the way whether a request holds it, before it
    /// goes out, since the answer may be back before the write returns.
    private boolean cued(Cue cue, Episode episode, byte[] block, int from, int to) {
        return switch (cue.place()) {
            case NOWHERE -> direction == Direction.DOWN;
            case ANSWER -> direction == Direction.DOWN && search.found(block, from, to);
            case REQUEST -> {
                if (direction == Direction.DOWN) yield link.cuedIn(episode);
                if (search.found(block, from, to)) link.cue(episode);
                yield false;
            }
        };
    }

    private int write(byte[] block, int from, int length) throws IOException {
        to.getOutputStream().write(block, from, length);
        passed += length;
        board.count(now -> now.forwarded(direction, length));
        return length;
    }
}
