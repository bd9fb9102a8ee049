package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Codes.Rule;

/// What a person can do about an error.
final class Remedy {
    private Remedy() {}

    static String of(int code, Rule rule) {
        if (rule.equals(Codes.THREW_IN_VIEW))
            return "mend or drop the view behind the table: the table may have the rows, and the same batch adds none"
                    + " where the table remembers tokens";
        if (rule.equals(Codes.UNKNOWN))
            return "look it up in system.errors, and tell whom it blames under clickhouse.verdicts";
        return switch (code) {
            case 16, 20, 44, 47 -> "compare the table with what is written, and mend the one or the other";
            case 60 -> "create the table on every replica, or name another as clickhouse.table";
            case 81 -> "create the database on every replica, or name another as clickhouse.database";
            case 115, 452, 472 -> "leave the setting out of clickhouse.settings, or allow it to the user";
            case 117, 626 -> "add the column, or set unknown_fields: ignore";
            case 159 -> "raise the server's max_execution_time for this user";
            case 164, 291, 497 -> "GRANT INSERT on the table to the user";
            case 241 -> "lower batch.max_bytes, or give the server memory";
            case 242, 774 -> "see system.replicas on this replica, and its keeper";
            case 243 -> "free or add disk space at the server";
            case 252 -> parts(rule);
            case 319 -> "none: the same batch goes again, and adds none where the table remembers tokens";
            case 394, 735 -> "raise write.timeout; see who cancels inserts";
            case 192, 193, 194, 516 -> "put the right secret into the file that user, password or token names";
            case 195 -> "allow this host to the user";
            default -> of(rule);
        };
    }

    /// One code for two things.
    private static String parts(Rule rule) {
        return switch (rule.says()) {
            case SIZE -> "partition the table by less, or raise max_partitions_per_insert_block in clickhouse.settings";
            case REPLICA, OVERLOAD, NOBODY, ROWS, SETTINGS, LOGIN ->
                "make batches larger (batch.linger, batch.max_rows), partition the table by less, let merges go on";
        };
    }

    private static String of(Rule rule) {
        return switch (rule.says()) {
            case REPLICA -> "see the log of this replica";
            case OVERLOAD -> "give the server more of it, or send less: inflight.max_per_shard";
            case NOBODY -> "none, unless it goes on";
            case ROWS -> "see the dead letters (millrace dlq list), and mend who makes such rows";
            case SIZE -> "lower batch.max_rows or batch.max_bytes, or raise the server's limit";
            case SETTINGS -> "mend what the message names; the batch goes on by itself then";
            case LOGIN -> "mend the user at the server, or clickhouse.user; the batch goes on by itself then";
        };
    }
}
