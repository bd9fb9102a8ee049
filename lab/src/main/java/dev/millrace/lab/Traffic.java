package dev.millrace.lab;

/// What a [ChaosProxy] has done so far.
///
/// @param connections accepted from clients, since it was launched
/// @param upBytes forwarded to the server
/// @param downBytes forwarded to clients
/// @param held answers that are kept back just now
/// @param dropped answers that were swallowed
/// @param cut connections that were reset after their bytes
public record Traffic(long connections, long upBytes, long downBytes, int held, long dropped, long cut) {
    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

    Traffic connected() {
        return new Traffic(connections + 1, upBytes, downBytes, held, dropped, cut);
    }

    Traffic forwarded(Direction direction, int bytes) {
        return switch (direction) {
            case UP -> new Traffic(connections, upBytes + bytes, downBytes, held, dropped, cut);
            case DOWN -> new Traffic(connections, upBytes, downBytes + bytes, held, dropped, cut);
        };
    }

    Traffic holding(int more) {
        return new Traffic(connections, upBytes, downBytes, held + more, dropped, cut);
    }

    Traffic droppedOne() {
        return new Traffic(connections, upBytes, downBytes, held, dropped + 1, cut);
    }

    Traffic cutOne() {
        return new Traffic(connections, upBytes, downBytes, held, dropped, cut + 1);
    }

    /// Up is from the client to the server.
    enum Direction {
        UP,
        DOWN
    }
}
