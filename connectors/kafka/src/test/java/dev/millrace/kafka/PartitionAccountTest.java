package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class PartitionAccountTest {
    private static PartitionAccount at(long watermark) {
        var account = new PartitionAccount(Bench.P0, List.of());
        account.ownedBy(0);
        account.stands(new PartitionAccount.Standing(watermark, watermark + 5, 1, 0, 0, null));
        return account;
    }

    @Test
    @Tag("OPS-11")
    void anUnknownLagIsNeitherZeroNorMinusOne() {
        var account = at(10);
        assertThat(account.view(0, 100).lag()).isNull();
        account.end(30, 0);
        assertThat(account.view(0, 100).lag()).isEqualTo(20);
        assertThat(account.view(101, 100).lag()).as("an end of long ago").isNull();
        account.endsAfterPosition(2, 101);
        assertThat(account.view(101, 100).lag()).isEqualTo(7);
        account.released(0);
        assertThat(account.view(101, 100).lag()).as("it left").isNull();
    }

    @Test
    @Tag("OPS-11")
    void aMemberThatLostItLateDoesNotTakeItFromTheNext() {
        var account = at(10);
        account.end(30, 0);
        account.ownedBy(1);
        account.released(0);
        assertThat(account.owner()).isEqualTo(1);
        assertThat(account.view(0, 100).lag()).isEqualTo(20);
    }
}
