package dev.millrace.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// Production and driver loaded anew, with one source file changed: seeds run against it like against the real one.
final class MutatedCode extends ClassLoader {
    private final Map<String, byte[]> mutated;

    private MutatedCode(Map<String, byte[]> mutated) {
        super(MutatedCode.class.getClassLoader());
        this.mutated = mutated;
    }

    /// The unchanged code, through the same loader.
    static MutatedCode control() {
        return new MutatedCode(Map.of());
    }

    static MutatedCode of(Mutant mutant) {
        var file = module(mutant.module())
                .resolve("src/main/java")
                .resolve(mutant.type().replace('.', '/') + ".java");
        String source;
        try {
            source = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("mutant '" + mutant + "' needs the source of " + mutant.type(), e);
        }
        for (var edit : mutant.edits()) {
            var at = source.indexOf(edit.snippet());
            if (at < 0 || source.indexOf(edit.snippet(), at + 1) >= 0)
                throw new IllegalStateException("mutant '" + mutant + "': not exactly once in " + mutant.type() + ": "
                        + edit.snippet() + "\nThe production code changed: change the mutant with it.");
            source = source.replace(edit.snippet(), edit.replacement());
        }
        return new MutatedCode(compile(mutant, source));
    }

    /// A module stands beside this one, or among the connectors.
    private static Path module(String name) {
        var beside = Path.of(System.getProperty("basedir", "."))
                .toAbsolutePath()
                .normalize()
                .resolveSibling(name);
        return Files.isDirectory(beside)
                ? beside
                : beside.resolveSibling("connectors").resolve(name);
    }

    /// The driver, as seen through the JDK's types: a seed's violation, or an empty text.
    LongFunction<?> seedRun() throws ReflectiveOperationException {
        return run("dev.millrace.testkit.SeedRun");
    }

    /// A seed shrunk, as lines: the oracle that found it, the one that finds what is left, the kinds of fault that are
    /// left, and the rest is the message.
    LongFunction<?> shrinkRun() throws ReflectiveOperationException {
        return run("dev.millrace.testkit.ShrinkRun");
    }

    private LongFunction<?> run(String type) throws ReflectiveOperationException {
        return (LongFunction<?>) loadClass(type).getDeclaredConstructor().newInstance();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Compiled extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Compiled(String type) {
            super(URI.create("bytes:///" + type.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class Outputs extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, Compiled> classes = new HashMap<>();

        Outputs(StandardJavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location,
                String type,
                JavaFileObject.Kind kind,
                @Nullable FileObject sibling) {
            return classes.computeIfAbsent(type, Compiled::new);
        }
    }

    private static Map<String, byte[]> compile(Mutant mutant, String source) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var told = new DiagnosticCollector<JavaFileObject>();
        var classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        var outputs = new Outputs(compiler.getStandardFileManager(told, null, null));
        var options = List.of("--release", "25", "-proc:none", "-nowarn", "-classpath", classPath);
        var task = compiler.getTask(null, outputs, told, options, null, List.of(new Source(mutant.type(), source)));
        if (!task.call())
            throw new IllegalStateException("mutant '" + mutant + "' does not compile: " + told.getDiagnostics());
        var out = new HashMap<String, byte[]>();
        outputs.classes.forEach((type, compiled) -> out.put(type, compiled.bytes.toByteArray()));
        return out;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("dev.millrace.")) return super.loadClass(name, resolve);
        synchronized (getClassLoadingLock(name)) {
            var loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        var bytes = mutated.get(name);
        if (bytes == null) {
            try (var in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) throw new ClassNotFoundException(name);
                bytes = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }
}
