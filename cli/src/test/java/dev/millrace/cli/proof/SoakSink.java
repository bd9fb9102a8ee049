package dev.millrace.cli.proof;

import java.util.List;

/// One of the sinks of a [SoakRig]: a store that recognises what it has, and that takes no poison of a [PoisonMix].
///
/// Nothing in its table but tokens keeps a row from being there twice.
interface SoakSink extends AutoCloseable {
    /// Of the sink in the pipeline's file.
    String name();

    /// As `/status` names it.
    String level();

    /// Whether it refuses rows of this kind.
    boolean refuses(PoisonKind kind);

    /// Of the dead letter of such a row.
    String code(PoisonKind kind);

    /// Writes itself into a pipeline's file.
    void into(Recipe recipe);

    /// What can befall it and the ways to it.
    List<Harm> harms();

    /// Rows that it takes though they are poison to another sink are among them.
    Landed landed(PoisonMix mix) throws Exception;

    @Override
    void close();
}
