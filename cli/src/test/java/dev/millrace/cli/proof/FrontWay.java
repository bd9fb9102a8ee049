package dev.millrace.cli.proof;

import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.Fault;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;

/// A way to a ClickHouse engine, through a front; with it the engine may be killed.
///
/// @param up taken while the engine is down
record FrontWay(ClickHouseFront front, ClickHouseEngine engine, Semaphore up) implements Way {
    private static final int LONGEST_UP = 400_000;

    private enum Cut {
        REFUSED,
        RESET,
        MID_WRITE,
        ANSWER_LOST,
        SILENT,
        /// SIGKILL, and started again on its data.
        ENGINE_KILLED
    }

    @Override
    public String cut(SplittableRandom chance) throws InterruptedException {
        var cut = Cut.values()[chance.nextInt(Cut.values().length)];
        switch (cut) {
            case REFUSED -> front.kill();
            case RESET -> front.fault(Fault.cutAnswer(0).onEverything());
            case MID_WRITE ->
                front.fault(Fault.cutRequest(chance.nextInt(LONGEST_UP)).onInserts());
            case ANSWER_LOST -> front.fault(Fault.loseAnswer().onInserts());
            case SILENT -> front.fault(Fault.hang().onEverything());
            case ENGINE_KILLED -> {
                up.acquire();
                engine.kill();
            }
        }
        return cut.name();
    }

    @Override
    public void heal() {
        if (!engine.running()) {
            engine.start();
            up.release();
        }
        front.heal();
        front.start();
    }
}
