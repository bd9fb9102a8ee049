package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessClockTest {
    @Test
    void aThreadsTimeIsFoundByAPartOfItsNameWhateverElseIsInIt() throws InterruptedException {
        var burnt = new CountDownLatch(1);
        var looked = new CountDownLatch(1);
        var worker = Thread.ofPlatform().name("burns) 1 (it").start(() -> {
            var begun = ProcessClock.ownThreadsNanos("burns");
            while (ProcessClock.ownThreadsNanos("burns") - begun < 20_000_000L) Thread.onSpinWait();
            burnt.countDown();
            try {
                looked.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        burnt.await();
        assertThat(ProcessClock.ownThreadsNanos("burns) 1 ("))
                .isBetween(
                        20_000_000L, ProcessClock.nanos(ProcessHandle.current().pid()));
        assertThat(ProcessClock.ownThreadsNanos("no such thread")).isZero();
        looked.countDown();
        worker.join();
    }
}
