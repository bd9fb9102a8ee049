/// The PostgreSQL sink: rows as COPY text, a batch as one COPY in one transaction, and what each SQLSTATE
/// means.
///
/// [dev.millrace.postgres.PostgresSink] is the front. It decides how a record becomes a row of a table that
/// the server described, how a batch reaches one endpoint within its deadline, and what an error says about
/// whom. It knows no retries of batches, no breakers and no Kafka.
///
/// Encoders belong to the source thread that asked for them; writers are called by attempts, several at a time;
/// `describe` by whoever starts the pipeline.
@NullMarked
package dev.millrace.postgres;

import org.jspecify.annotations.NullMarked;
