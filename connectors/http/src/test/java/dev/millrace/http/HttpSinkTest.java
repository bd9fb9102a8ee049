package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.lab.http.HttpFront;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.TokenLog;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a sink promises by its settings, and what it finds by looking.
class HttpSinkTest {
    private static final URI ONE = URI.create("http://127.0.0.1:9/rows");
    private static final URI OTHER = URI.create("http://127.0.0.2:9/rows");
    private static final long DAY = Duration.ofHours(24).toNanos();

    private static HttpSink remembering(boolean shared, URI... replicas) {
        var memory = new HttpSettings.Memory(Duration.ofHours(24), shared);
        return Post.sink(Post.With.DEFAULTS.memory(memory).settings(), replicas);
    }

    private static long soon() {
        return NanoClock.SYSTEM.nanoTime() + Post.AMPLE.toNanos();
    }

    @Test
    @Tag("EO-11")
    @DisplayName("EO-11: a server of which nothing is said remembers nothing, and the line says what to set")
    void nothingSaid() {
        try (var sink = Post.sink(Post.With.DEFAULTS.settings(), ONE, OTHER)) {
            assertThat(sink.recognition(Post.SHARD)).isEqualTo(new Recognition(TokenLog.NONE, 0, false, false));
            assertThat(sink.ceiling(Post.SHARD).level()).isEqualTo(Level.L0);
            assertThat(sink.ceiling(Post.SHARD).why()).contains("http.remembers");
        }
    }

    @Test
    @Tag("EO-11")
    @Tag("EO-10")
    @DisplayName("EO-11: what the file says of the server's memory is the window, told as the file's word")
    void said() {
        try (var sink = remembering(true, ONE, OTHER)) {
            assertThat(sink.recognition(Post.SHARD)).isEqualTo(new Recognition(TokenLog.SHARED, DAY, false, false));
            assertThat(sink.ceiling(Post.SHARD).level()).isEqualTo(Level.L2);
            assertThat(sink.ceiling(Post.SHARD).why()).contains("as configured", "24h");
        }
    }

    @Test
    @Tag("WRT-11")
    @DisplayName("WRT-11: where each replica knows its own tokens alone, a batch in doubt is pinned; one replica shares"
            + " with itself")
    void byReplica() {
        try (var two = remembering(false, ONE, OTHER);
                var one = remembering(false, ONE)) {
            assertThat(two.recognition(Post.SHARD)).isEqualTo(new Recognition(TokenLog.UNSHARED, DAY, false, false));
            assertThat(two.ceiling(Post.SHARD).level()).isEqualTo(Level.L1);
            assertThat(two.ceiling(Post.SHARD).why()).contains("a shard of its own");
            assertThat(one.recognition(Post.SHARD).log()).isEqualTo(TokenLog.SHARED);
            assertThat(one.ceiling(Post.SHARD).level()).isEqualTo(Level.L2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host:1/a",
                "http:///a",
                "http://me:s3cret@host:1/a",
                "http://host:1/a?key=s3cret",
                "http://host:1/a#s3cret",
                "rows"
            })
    void anAddressOfAnotherFormIsRefusedWithoutASecret(String address) {
        assertThatThrownBy(() -> Post.sink(Post.With.DEFAULTS.settings(), URI.create(address)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void aShardIsThereIfOneOfItsReplicasIs() throws Exception {
        try (var front = HttpFront.launch(line -> line.read())) {
            var shards = new LinkedHashMap<ShardId, List<URI>>();
            shards.put(new ShardId("partner", "s0"), List.of(WireTest.nobody(), front.uri()));
            shards.put(new ShardId("partner", "s1"), List.of(WireTest.nobody()));
            try (var sink =
                    HttpSink.open(Post.With.DEFAULTS.settings(), shards, () -> Rows.VERBATIM, NanoClock.SYSTEM)) {
                assertThat(sink.look(soon()))
                        .isEqualTo(new HttpSink.Looked.Seen(List.of(new ShardId("partner", "s1"))));
                assertThat(sink.checkUp(soon(), InstantSource.system()).findings())
                        .hasSize(2)
                        .allMatch(it -> it.severity() == Finding.Severity.UNREACHED);
            }
            assertThat(front.requests()).as("nothing was sent").isEmpty();
        }
    }

    @Test
    void aPathThatIsNotThereIsAFault() throws Exception {
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    line.answer("404 Not Found", "", "");
                });
                var sink = Post.sink(Post.With.DEFAULTS.pingPath("/health").settings(), front.uri())) {
            assertThat(sink.checkUp(soon(), InstantSource.system()).findings())
                    .singleElement()
                    .satisfies(it -> {
                        assertThat(it.severity()).isEqualTo(Finding.Severity.FAULT);
                        assertThat(it.what()).contains("404");
                        assertThat(it.where())
                                .contains("partner", "s0", front.uri().toString());
                    });
        }
    }
}
