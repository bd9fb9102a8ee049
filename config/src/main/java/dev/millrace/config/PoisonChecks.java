package dev.millrace.config;

import dev.millrace.config.FormatConfig.OnTombstone;
import dev.millrace.config.PoisonConfig.Action;

/// What of poison rows and dead letters cannot work together.
record PoisonChecks(Problems problems, Values root) {

    void run() {
        var action = root.get(PipelineKeys.POISON).find(PipelineKeys.ACTION);
        if (action == null) return;
        if (action.value() == Action.DEAD_LETTER) topic();
        else {
            var format = root.get(SourceKeys.FORMAT);
            tombstone(format.get(SourceKeys.JSON), SourceKeys.JSON_TOMBSTONE);
            tombstone(format.get(SourceKeys.RAW), SourceKeys.RAW_TOMBSTONE);
        }
    }

    /// A pipeline that read its own dead letters would send them round for ever.
    private void topic() {
        var name = root.get(PipelineKeys.PIPELINE).find(PipelineKeys.NAME);
        var read = IntakeChecks.topics(root);
        if (name == null || read == null) return;
        var given = root.get(PipelineKeys.POISON).find(PipelineKeys.DEAD_LETTER_TOPIC);
        var topic = given == null ? PoisonConfig.defaultTopic(name.value()) : given.value();
        if (!read.value().includes(topic)) return;
        problems.error(
                given == null ? read.place() : given.place(),
                given == null ? read.path() : given.path(),
                "dead letters would go to " + topic
                        + ", which source.kafka.topics reads; set poison.topic to a topic that it does not read");
    }

    private void tombstone(Values format, Key.Setting<OnTombstone> setting) {
        var tombstone = format.find(setting);
        if (tombstone == null || tombstone.value() != OnTombstone.DEAD_LETTER) return;
        problems.error(
                tombstone.place(),
                tombstone.path(),
                "dead_letter needs poison.action: dead_letter; set it there, or use skip");
    }
}
