package dev.millrace.fuzz;

import java.util.List;

/// Something that takes any bytes, and holds a promise about what it makes of them.
///
/// One instance takes many inputs, and what it says of one may not depend on those before it.
@FunctionalInterface
public interface FuzzTarget {
    /// Returns if the promise held. Whatever it throws is a fault.
    void take(byte[] input) throws Exception;

    /// What inputs are made of, which chance would hardly spell.
    default List<String> words() {
        return List.of();
    }
}
