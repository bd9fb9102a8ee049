package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.Draw;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.fuzz.Json;
import dev.millrace.kafka.DeadRow;
import dev.millrace.kafka.RecordPlace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whatever headers a dead letter has, `dlq list` prints one line of it that does nothing to a terminal, or one JSON
/// object with the same texts; so does `dlq show` of keys, values and headers.
final class DlqLineFuzz implements FuzzTarget {
    @Override
    public List<String> words() {
        return List.of("\u001b[2J", "\u202e", "\n", "\r", "\\", "\"", "\u2028", "😀", "\ue000");
    }

    @Override
    public void take(byte[] input) {
        var draw = new Draw(input);
        var timestamp = draw.yes() ? draw.natural() % 1_000_000_000_000_000_000L : -1;
        var topic = "t" + text(draw);
        var place = new RecordPlace(topic, (int) draw.natural() & Integer.MAX_VALUE, draw.natural());
        var shard = draw.yes() ? text(draw) : null;
        var row = new DeadRow(
                place,
                timestamp,
                text(draw),
                text(draw),
                shard,
                text(draw),
                text(draw),
                draw.below(3),
                draw.below(3),
                draw.yes(),
                new RecordPlace("dead", 0, draw.natural()),
                draw.below(3),
                draw.yes());
        printable(DlqListCommand.text(row));
        members(row, shard);
        var bytes = draw.rest();
        printable(Printable.bytes(bytes, 1 + bytes.length / 2));
        printable(Printable.bytes(bytes, 4096));
        printable(Printable.bytes(null, 4096));
    }

    /// Of any characters, halves of one too: a header that is not UTF-8 is mended when it is read, but not before.
    private static String text(Draw draw) {
        if (draw.yes()) return draw.text(40);
        var text = new StringBuilder();
        for (var left = draw.below(8); left > 0; left--) text.append((char) draw.below(1 << 16));
        return text.toString();
    }

    private static void printable(String line) {
        line.codePoints().forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> throw new AssertionError("U+%04X in %s".formatted(c, line));
                default -> {
                    // It prints.
                }
            }
        });
    }

    private static void members(DeadRow row, @Nullable String shard) {
        var line = DlqListCommand.json(row).toString();
        assertThat(line.chars().allMatch(c -> c >= ' ' && c < 0x7f)).as(line).isTrue();
        var json = Json.read(line.getBytes(StandardCharsets.US_ASCII));
        if (json == null || !(json.json() instanceof Json.Members(var members)))
            throw new AssertionError("no JSON object: " + line);
        assertThat(members)
                .containsEntry("topic", new Json.Text(row.origin().topic()))
                .containsEntry("pipeline", new Json.Text(row.pipeline()))
                .containsEntry("sink", new Json.Text(row.sink()))
                .containsEntry("shard", shard == null ? new Json.Nothing() : new Json.Text(shard))
                .containsEntry("code", new Json.Text(row.code()))
                .containsEntry("reason", new Json.Text(row.reason()))
                .containsEntry(
                        "offset", new Json.Numeral(Long.toString(row.origin().offset())));
    }
}
