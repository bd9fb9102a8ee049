package dev.millrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Arms that take turns in the same rounds, so that what else the machine does hits all of them.
///
/// Invariant: each name is one arm's.
record SuiteGroup(String name, String title, List<SuiteArm> arms) {
    SuiteGroup {
        arms = List.copyOf(arms);
        if (arms.stream().map(SuiteArm::name).distinct().count() < arms.size())
            throw new IllegalArgumentException("two arms of " + name + " have one name");
    }

    /// What a pattern of `--arms` is looked for in.
    String path(SuiteArm arm) {
        return name + "/" + arm.name();
    }

    /// The arms that `wanted` is found in, and the loops that they are held against. Perhaps none.
    SuiteGroup only(Pattern wanted, boolean quick) {
        var chosen = arms.stream()
                .filter(arm ->
                        (!quick || arm.quick()) && wanted.matcher(path(arm)).find())
                .toList();
        var references =
                chosen.stream().map(this::reference).filter(Objects::nonNull).toList();
        return new SuiteGroup(
                name,
                title,
                new ArrayList<>(arms.stream()
                        .filter(arm -> Stream.concat(chosen.stream(), references.stream())
                                .anyMatch(arm::equals))
                        .toList()));
    }

    /// The loop over the same topic that an arm is held against, or null for none in this group.
    @Nullable
    SuiteArm reference(SuiteArm arm) {
        return arms.stream()
                .filter(other -> other.program() == arm.program().reference()
                        && other.shape().equals(arm.shape()))
                .findFirst()
                .orElse(null);
    }
}
