package dev.millrace.bench;

/// One reading of one arm in one round, from 1.
record Measured(SuiteGroup group, SuiteArm arm, FilledTopic topic, int round, Reading reading) {
    double cpuPerGigabyte() {
        return reading.cpuPerGigabyte(topic.valueBytes());
    }

    double megabytesPerCpuSecond() {
        return reading.megabytesPerCpuSecond(topic.valueBytes());
    }

    double perGigabyte(Figure figure) {
        return reading.perGigabyte(figure, topic.valueBytes());
    }

    double rowsPerSecond() {
        return reading.rowsPerSecond();
    }

    double megabytesPerSecond() {
        return topic.valueBytes() / 1e6 / reading.wallSeconds();
    }
}
