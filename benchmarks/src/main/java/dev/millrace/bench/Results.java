package dev.millrace.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// All readings of one run, and what they come to. A ratio is of two readings of one round, so that what else
/// the machine did hits both.
///
/// Thread ownership: the command's thread.
final class Results {
    private final List<Measured> all = new ArrayList<>();
    private final Map<String, String> skipped = new LinkedHashMap<>();

    void add(Measured measured) {
        all.add(measured);
    }

    /// `why` an arm was not read.
    void skip(String path, String why) {
        skipped.put(path, why);
    }

    List<Measured> all() {
        return List.copyOf(all);
    }

    /// By path, why it was not read.
    Map<String, String> skipped() {
        return Map.copyOf(skipped);
    }

    List<SuiteGroup> groups() {
        return all.stream().map(Measured::group).distinct().toList();
    }

    /// Those that were read, in the group's order.
    List<SuiteArm> arms(SuiteGroup group) {
        return group.arms().stream().filter(arm -> !of(group, arm).isEmpty()).toList();
    }

    List<Measured> of(SuiteGroup group, SuiteArm arm) {
        return all.stream()
                .filter(one -> one.group().equals(group) && one.arm().equals(arm))
                .toList();
    }

    /// Null for an arm that was not read.
    @Nullable
    Figures figures(SuiteGroup group, SuiteArm arm, ToDoubleFunction<Measured> of) {
        var read = of(group, arm).stream().mapToDouble(of).toArray();
        return read.length == 0 ? null : Figures.of(read);
    }

    /// Of an arm over another, round by round; null where one of them was not read.
    @Nullable
    Figures ratio(SuiteGroup group, SuiteArm arm, @Nullable SuiteArm over, ToDoubleFunction<Measured> of) {
        return beside(group, arm, over, of, (one, other) -> one / other);
    }

    /// What an arm has more than another, round by round; null where one of them was not read.
    @Nullable
    Figures added(SuiteGroup group, SuiteArm arm, @Nullable SuiteArm to, ToDoubleFunction<Measured> of) {
        return beside(group, arm, to, of, (one, other) -> one - other);
    }

    private @Nullable Figures beside(
            SuiteGroup group,
            SuiteArm arm,
            @Nullable SuiteArm beside,
            ToDoubleFunction<Measured> of,
            DoubleBinaryOperator both) {
        if (beside == null) return null;
        var figures = of(group, arm).stream()
                .flatMap(one -> of(group, beside).stream()
                        .filter(other -> other.round() == one.round())
                        .map(other -> both.applyAsDouble(of.applyAsDouble(one), of.applyAsDouble(other))))
                .mapToDouble(Double::doubleValue)
                .toArray();
        return figures.length == 0 ? null : Figures.of(figures);
    }

    /// The group and the arm of a path such as `1k/raw-blackhole`; null for one that was not read.
    @Nullable
    Measured first(String path) {
        return all.stream()
                .filter(one -> one.group().path(one.arm()).equals(path))
                .findFirst()
                .orElse(null);
    }
}
