package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.cli.MillraceCommandLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace offsets show` on what a group has committed at a real broker.
@ExtendWith(LabExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class OffsetsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    @DisplayName("EO-8: a plan is shown with its segments and its size; what is none is told as what it is")
    void aPlanIsShown(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("orders");
            stage.topics().create(topic, 6);
            for (var partition = 0; partition < 6; partition++)
                stage.topics().produce(Stage.rows(topic, partition, 0, 20));
            var described =
                    Stage.done(stage.admin().describeTopics(List.of(topic)).allTopicNames());
            var id = new TopicId(described.values().iterator().next().topicId().toString());
            var cut = Instant.now().getEpochSecond() - 60;
            var plan = new Plan(
                    0xfeedL,
                    id,
                    7,
                    new TreeMap<>(Map.of(17, 0xbeefL)),
                    List.of(new Segment(5, 9, cut, 1_500, false), new Segment(9, 12, cut + 10, 3_000, true)));
            var text = PlanCodec.encode(plan, 5);
            var other = new TopicId("AAAAAAAAAAAAAAAAAAAAAA");
            commit(
                    stage,
                    topic,
                    Map.of(
                            0, new OffsetAndMetadata(5, text),
                            1, new OffsetAndMetadata(20, CommitNote.of(id)),
                            2, new OffsetAndMetadata(3, text.substring(0, text.length() - 2) + "AA"),
                            3, new OffsetAndMetadata(4, "somebody's \u001b[31m"),
                            4, new OffsetAndMetadata(4, CommitNote.of(other))));
            var file = Files.writeString(
                    directory.resolve("pipeline.yaml"),
                    stage.recipe("[ " + topic + " ]").blackhole().text());

            var told = MillraceCommandLine.run("offsets", "show", file.toString());
            assertThat(told.code()).as(told.err()).isZero();
            assertThat(told.out().lines().toList())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .isEqualTo(topic + "-0  offset 5  lag 15  plan of 2 open segments, " + text.length()
                                            + " of 4096 characters, fingerprint 000000000000feed"),
                            line -> assertThat(line).matches("  \\[5, 9\\)  age [0-9]{2,3} s  2048 bytes"),
                            line -> assertThat(line).matches("  \\[9, 12\\)  age [0-9]{2,3} s  3072 bytes  split"),
                            line -> assertThat(line).isEqualTo(topic + "-1  offset 20  lag 0  topic " + id.text()),
                            line -> assertThat(line)
                                    .startsWith(topic + "-2  offset 3  lag 17  a plan that can't be read: "),
                            line -> assertThat(line)
                                    .isEqualTo(topic + "-3  offset 4  lag 16  a text of 16 characters that is not of"
                                            + " Millrace"),
                            line -> assertThat(line).endsWith(", of a topic of this name that was deleted"),
                            line -> assertThat(line).isEqualTo(topic + "-5  nothing committed, of [0, 20)"));

            var json = MillraceCommandLine.run("offsets", "show", file.toString(), "--json")
                    .out();
            assertThat(json.lines().toList())
                    .hasSize(8)
                    .anySatisfy(line -> assertThat(line)
                            .contains(
                                    "\"note\":\"plan\"",
                                    "\"offset\":5,\"lag\":15,",
                                    "\"cluster\":\"00000007\"",
                                    "\"newest_tokens\":[\"00000011:000000000000beef\"]",
                                    "\"open_segments\":2"))
                    .anySatisfy(line -> assertThat(line)
                            .contains("\"kind\":\"segment\"", "\"from\":9,\"to\":12,", "\"split\":true"))
                    .anySatisfy(line -> assertThat(line).contains("\"note\":\"unreadable\"", "\"why\":"))
                    .anySatisfy(line -> assertThat(line).contains("\"offset\":null,\"lag\":null"));
            assertThat(MillraceCommandLine.run("offsets").code()).isEqualTo(2);
        }
    }

    private static void commit(Stage stage, String topic, Map<Integer, OffsetAndMetadata> offsets) throws Exception {
        var all = new HashMap<TopicPartition, OffsetAndMetadata>();
        offsets.forEach((partition, offset) -> all.put(new TopicPartition(topic, partition), offset));
        Stage.done(stage.admin().alterConsumerGroupOffsets(stage.group(), all).all());
    }
}
