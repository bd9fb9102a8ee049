package dev.millrace.pipeline;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// What the product's code says to people, read from the code: the arguments of each call of a method, or of each
/// `new` of a class, of a name. What is only known when it runs is told as `…`, and of two texts of which one is said,
/// both.
///
/// Thread ownership: one test.
final class SpokenTexts {
    private static final Path ROOT = Path.of("..");
    private static final String UNKNOWN = "…";
    private static final int LONGEST_ALTERNATIVES = 4;

    /// One call: where it stands, what is called, and each argument in all the ways that it may read.
    record Call(String file, String name, List<List<String>> arguments) {
        /// Each way in which one argument may read.
        List<String> argument(int index) {
            return arguments.get(index);
        }
    }

    private final List<Call> calls = new ArrayList<>();
    private final Map<String, String> constants = new HashMap<>();

    private SpokenTexts() {}

    /// Of all sources of these modules.
    static SpokenTexts of(List<String> modules) throws IOException {
        var files = new ArrayList<Path>();
        for (var module : modules)
            try (var walk = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                walk.filter(file -> file.toString().endsWith(".java")).sorted().forEach(files::add);
            }
        var texts = new SpokenTexts();
        texts.read(files);
        return texts;
    }

    private void read(List<Path> files) throws IOException {
        var compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK, not a JRE");
        try (var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            var task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            var units = new ArrayList<Tree>();
            var names = new ArrayList<String>();
            for (var unit : task.parse()) {
                units.add(unit);
                names.add(Path.of(unit.getSourceFile().toUri()).getFileName().toString());
            }
            for (var i = 0; i < units.size(); i++) units.get(i).accept(new Constants(), names.get(i));
            for (var i = 0; i < units.size(); i++) units.get(i).accept(new Calls(), names.get(i));
        }
    }

    /// Calls of `Type.method(…)`, or `new Type(…)` for a name without a point, in the order of the sources.
    Stream<Call> calls(String... names) {
        var wanted = List.of(names);
        return calls.stream().filter(call -> wanted.contains(call.name()));
    }

    private static String typeOf(String file) {
        return file.substring(0, file.length() - ".java".length());
    }

    private final class Constants extends TreeScanner<@Nullable Void, String> {
        @Override
        public @Nullable Void visitVariable(VariableTree variable, String file) {
            var start = variable.getInitializer();
            if (start != null && variable.getModifiers().toString().contains("final")) {
                var texts = read(start, file);
                if (texts.size() == 1 && !texts.getFirst().contains(UNKNOWN))
                    constants.put(typeOf(file) + "." + variable.getName(), texts.getFirst());
            }
            return super.visitVariable(variable, file);
        }
    }

    private final class Calls extends TreeScanner<@Nullable Void, String> {
        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, String file) {
            add(file, call.getMethodSelect().toString(), call.getArguments());
            return super.visitMethodInvocation(call, file);
        }

        @Override
        public @Nullable Void visitNewClass(NewClassTree made, String file) {
            var name = made.getIdentifier().toString();
            add(file, name.substring(name.lastIndexOf('.') + 1), made.getArguments());
            return super.visitNewClass(made, file);
        }

        private void add(String file, String name, List<? extends ExpressionTree> arguments) {
            calls.add(new Call(
                    file,
                    name,
                    arguments.stream().map(argument -> read(argument, file)).toList()));
        }
    }

    /// All that an expression may read as.
    private List<String> read(ExpressionTree expression, String file) {
        return switch (expression) {
            case LiteralTree literal -> List.of(String.valueOf(literal.getValue()));
            case ParenthesizedTree inner -> read(inner.getExpression(), file);
            case ConditionalExpressionTree choice -> {
                var both = new ArrayList<>(read(choice.getTrueExpression(), file));
                both.addAll(read(choice.getFalseExpression(), file));
                yield both.stream().distinct().toList();
            }
            case BinaryTree sum
            when sum.getKind() == Tree.Kind.PLUS ->
                joined(read(sum.getLeftOperand(), file), read(sum.getRightOperand(), file));
            case IdentifierTree name -> List.of(constants.getOrDefault(typeOf(file) + "." + name.getName(), UNKNOWN));
            case MemberSelectTree name -> List.of(constants.getOrDefault(name.toString(), UNKNOWN));
            case MethodInvocationTree call
            when call.getMethodSelect().toString().endsWith(".formatted")
                    && call.getMethodSelect() instanceof MemberSelectTree select ->
                read(select.getExpression(), file).stream()
                        .map(SpokenTexts::withoutPlaces)
                        .toList();
            default -> List.of(UNKNOWN);
        };
    }

    private static String withoutPlaces(String format) {
        return format.replaceAll("%[-0-9.,]*[a-zA-Z]", UNKNOWN);
    }

    private static List<String> joined(List<String> before, List<String> behind) {
        if (before.size() * behind.size() > LONGEST_ALTERNATIVES)
            return before.size() > 1 ? joined(List.of(UNKNOWN), behind) : joined(before, List.of(UNKNOWN));
        var all = new ArrayList<String>();
        for (var first : before)
            for (var second : behind) all.add((first + second).replace(UNKNOWN + UNKNOWN, UNKNOWN));
        return all;
    }

    static List<String> modules() {
        return List.of(
                "config",
                "sink-pool",
                "connectors/kafka",
                "connectors/json",
                "connectors/httpclient",
                "connectors/postgres",
                "connectors/clickhouse",
                "connectors/http",
                "pipeline");
    }
}
