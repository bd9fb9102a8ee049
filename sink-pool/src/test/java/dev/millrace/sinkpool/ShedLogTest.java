package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How often shedding is told, and that the lines add up.
final class ShedLogTest {
    private static final long MS = 1_000_000;
    private static final long START = Long.MAX_VALUE - 500 * MS;

    private record Line(String tenant, long since, long all) {}

    private final ShedLog log = new ShedLog(START);
    private final List<Line> lines = new ArrayList<>();

    private long tellAt(long ms) {
        var next = log.tell(START + ms * MS, (tenant, since, all) -> lines.add(new Line(tenant, since, all)));
        return next == NanoClock.NEVER ? -1 : (next - START) / MS;
    }

    private void shed(String tenant, int times) {
        for (var i = 0; i < times; i++) log.shed(tenant);
    }

    @Test
    @Tag("ADM-5")
    void aTenantIsToldOfAtOnceAndThenOnceASecondWithTheCountSince() {
        assertThat(tellAt(0)).as("nothing is shed").isEqualTo(-1);
        shed("a", 3);
        assertThat(tellAt(20)).isEqualTo(-1);
        shed("a", 2);
        assertThat(tellAt(40)).as("the next is due").isEqualTo(1020);
        shed("b", 1);
        assertThat(tellAt(60)).isEqualTo(1020);
        shed("a", 4);
        assertThat(tellAt(1019)).isEqualTo(1020);
        assertThat(lines).containsExactly(new Line("a", 3, 3), new Line("b", 1, 1));
        assertThat(tellAt(1030)).isEqualTo(-1);
        assertThat(lines.getLast()).isEqualTo(new Line("a", 6, 9));
    }

    @Test
    @Tag("ADM-5")
    void itIsLookedAtSeldomAndTheEndTellsTheRest() {
        shed("a", 1);
        tellAt(0);
        shed("a", 1);
        shed("b", 1);
        assertThat(tellAt(9)).as("looked at again").isEqualTo(10);
        assertThat(lines).hasSize(1);
        log.rest(START + 9 * MS, (tenant, since, all) -> lines.add(new Line(tenant, since, all)));
        assertThat(lines).containsExactlyInAnyOrder(new Line("a", 1, 1), new Line("a", 1, 2), new Line("b", 1, 1));
        lines.clear();
        shed("b", 2);
        log.rest(START + 9 * MS, (tenant, since, all) -> lines.add(new Line(tenant, since, all)));
        assertThat(lines).as("and what comes behind the end").containsExactly(new Line("b", 2, 3));
    }

    @Test
    @Tag("ADM-5")
    void tenantsBeyondAThousandAreToldOfTogetherAndAllLinesAddUp() {
        for (var tenant = 0; tenant < 1500; tenant++) shed("t" + tenant, 2);
        tellAt(0);
        assertThat(lines).hasSize(1001);
        assertThat(lines.stream().mapToLong(Line::since).sum()).isEqualTo(3000);
        assertThat(lines.getLast()).isEqualTo(new Line("others", 1000, 1000));
    }
}
