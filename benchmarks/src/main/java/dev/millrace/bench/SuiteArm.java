package dev.millrace.bench;

import dev.millrace.config.Delivery;

/// One way to read one shape of topic: a program, and in what it differs from the base, which is four shards,
/// `at_least_once` and one member.
///
/// @param linger of a batch, as the file says it; empty for the default
/// @param quick whether it belongs to what `--quick` shows
record SuiteArm(
        String name,
        Shape shape,
        Program program,
        int shards,
        Delivery delivery,
        Twist twist,
        String linger,
        boolean quick) {
    /// What else happens.
    enum Twist {
        NONE,
        /// Each shard has two endpoints, of which the first refuses connections.
        DEAD_REPLICA,
        /// Records come at a constant rate while it reads, and each row's delay is kept.
        LIVE,
        /// The same, and a second member joins the group and leaves it.
        LIVE_JOINED;

        boolean live() {
            return this == LIVE || this == LIVE_JOINED;
        }
    }

    SuiteArm {
        if (!name.matches("[a-z0-9-]+")) throw new IllegalArgumentException("not an arm's name: " + name);
    }

    static SuiteArm of(String name, Shape shape, Program program) {
        return new SuiteArm(name, shape, program, 4, Delivery.AT_LEAST_ONCE, Twist.NONE, "", false);
    }

    SuiteArm shards(int other) {
        return new SuiteArm(name, shape, program, other, delivery, twist, linger, quick);
    }

    SuiteArm effectivelyOnce() {
        return new SuiteArm(name, shape, program, shards, Delivery.EFFECTIVELY_ONCE, twist, linger, quick);
    }

    SuiteArm twist(Twist other) {
        return new SuiteArm(name, shape, program, shards, delivery, other, linger, quick);
    }

    SuiteArm linger(String other) {
        return new SuiteArm(name, shape, program, shards, delivery, twist, other, quick);
    }

    SuiteArm alsoQuick() {
        return new SuiteArm(name, shape, program, shards, delivery, twist, linger, true);
    }

    /// As the page names it: what it is, and what is not of the base.
    String title() {
        if (program.bare()) return program.title();
        return program.title()
                + (shards == 4 ? "" : shards == 1 ? ", 1 shard" : ", " + shards + " shards")
                + (delivery == Delivery.EFFECTIVELY_ONCE ? ", effectively once" : "")
                + switch (twist) {
                    case NONE, LIVE -> "";
                    case DEAD_REPLICA -> ", one of two replicas dead";
                    case LIVE_JOINED -> ", a second member joins and leaves";
                }
                + (linger.isEmpty() ? "" : ", linger " + linger);
    }
}
