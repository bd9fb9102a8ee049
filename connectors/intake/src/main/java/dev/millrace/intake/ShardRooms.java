package dev.millrace.intake;

import dev.millrace.sinkpool.Refusal;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What each shard of a sink holds of what was posted: at most half of what the sink may, so that a shard that takes
/// nothing leaves the other half to the others, as it does where a log is read (ADM-6).
///
/// A shard that holds nothing takes any body that the sink takes. A sink of one shard has no halves.
///
/// Thread ownership: shared. Taking excludes taking, so that two bodies are not both let in on the same room; rows end
/// at any time.
final class ShardRooms {
    private static final class Room {
        private final AtomicLong rows = new AtomicLong();
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong ended = new AtomicLong();
        private final Pace pace = new Pace();
    }

    /// This shard has no room, and may have some in so many seconds.
    record Without(String shard, Refusal why, int retrySeconds) {}

    private final List<String> names;
    private final List<Room> rooms;
    private final long mostRows;
    private final long mostBytes;

    ShardRooms(List<String> names, long maxRows, long maxBytes) {
        this.names = List.copyOf(names);
        this.rooms = Stream.generate(Room::new).limit(names.size()).toList();
        var parts = names.size() > 1 ? 2 : 1;
        this.mostRows = maxRows / parts;
        this.mostBytes = maxBytes / parts;
    }

    int count() {
        return names.size();
    }

    /// Room for so many rows and bytes of each shard, for all or for none. Null: it is taken.
    synchronized @Nullable Without take(long[] rows, long[] bytes, long nowNanos) {
        for (var shard = 0; shard < rooms.size(); shard++) {
            var room = rooms.get(shard);
            var ended = room.ended.get();
            room.pace.look(nowNanos, ended);
            var held = room.rows.get();
            if (rows[shard] == 0 || held == 0) continue;
            var over = held + rows[shard] - mostRows;
            if (over > 0)
                return new Without(
                        names.get(shard),
                        new Refusal(Refusal.Limit.ROWS, rows[shard], held, mostRows),
                        room.pace.seconds(nowNanos, ended, over));
            var heldBytes = room.bytes.get();
            if (heldBytes + bytes[shard] > mostBytes)
                return new Without(
                        names.get(shard),
                        new Refusal(Refusal.Limit.BYTES, bytes[shard], heldBytes, mostBytes),
                        room.pace.seconds(nowNanos, ended, rows[shard]));
        }
        for (var shard = 0; shard < rooms.size(); shard++) add(shard, rows[shard], bytes[shard]);
        return null;
    }

    /// A row that was not handed over.
    void giveBack(int shard, long bytes) {
        add(shard, -1, -bytes);
    }

    private void add(int shard, long rows, long bytes) {
        rooms.get(shard).rows.addAndGet(rows);
        rooms.get(shard).bytes.addAndGet(bytes);
    }

    /// A row of it has ended, however it did.
    void ended(int shard, long bytes) {
        add(shard, -1, -bytes);
        rooms.get(shard).ended.incrementAndGet();
    }

    /// Rows that it holds.
    long rows(int shard) {
        return rooms.get(shard).rows.get();
    }
}
