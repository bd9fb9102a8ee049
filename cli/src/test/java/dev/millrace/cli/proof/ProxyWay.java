package dev.millrace.cli.proof;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import java.util.SplittableRandom;

/// A way to a PostgreSQL server, through a proxy.
record ProxyWay(ChaosProxy proxy) implements Way {
    private static final int LONGEST_UP = 1_000_000;

    private enum Cut {
        REFUSED,
        RESET,
        MID_WRITE,
        ANSWER_LOST,
        SILENT
    }

    @Override
    public String cut(SplittableRandom chance) {
        var cut = Cut.values()[chance.nextInt(Cut.values().length)];
        switch (cut) {
            case REFUSED -> proxy.refuse();
            case RESET -> proxy.cutAfterDown(0);
            case MID_WRITE -> proxy.cutAfterUp(chance.nextInt(LONGEST_UP));
            case ANSWER_LOST -> proxy.dropAnswer(Cue.POSTGRES_COMMITTED);
            case SILENT -> proxy.blackHole();
        }
        return cut.name();
    }

    @Override
    public void heal() {
        proxy.heal();
    }
}
