package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.OneServer.Found;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("EO-11")
@Timeout(120)
class OnePathTest {
    private static final ShardId SHARD = new ShardId("warehouse", "a");

    private static Found of(HttpClient client, URI... endpoints) throws InterruptedException {
        return new OnePath(Bench.settings(), client, NanoClock.SYSTEM)
                .of(Stream.of(endpoints).map(ClickHouseEndpoint::of).toList(), Bench.in(Bench.AMPLE));
    }

    private static FakeServer at(String path) throws Exception {
        return FakeServer.listen().says("system.replicas", "path\t" + path);
    }

    @Test
    @DisplayName("EO-11: replicated tables with other paths in Keeper are no replicas of one another")
    void paths() throws Exception {
        try (var client = HttpClient.newHttpClient();
                var one = at("/tables/s0/orders");
                var same = at("/tables/s0/orders");
                var other = at("/tables/s1/orders")) {
            assertThat(of(client, one.uri(), same.uri())).isEqualTo(Found.SAME);
            assertThat(of(client, one.uri(), other.uri())).isEqualTo(Found.OTHER);
            assertThat(of(client, one.uri(), Stub.nobody())).isEqualTo(Found.SILENT);
            assertThat(of(client, one.uri(), Stub.nobody(), other.uri())).isEqualTo(Found.OTHER);
        }
    }

    @Test
    @DisplayName("EO-11: silence does not make replicas of what was known as none")
    void silenceUnlearnsNothing() {
        var known = new KnownShards(Map.of(SHARD, List.of()), 4);
        assertThat(known.otherPaths(SHARD, Found.SILENT)).isFalse();
        assertThat(known.otherPaths(SHARD, Found.OTHER)).isTrue();
        assertThat(known.otherPaths(SHARD, Found.SILENT)).isTrue();
        assertThat(known.otherPaths(SHARD, Found.SAME)).isFalse();
    }
}
