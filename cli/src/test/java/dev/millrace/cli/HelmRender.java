package dev.millrace.cli;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Helm's own code, in a JVM of its own: it is Go, and has signal handlers that no other test should meet.
///
/// Lints the chart that the first argument names, into `lint`, and renders it for each `NAME.values` of the folder that
/// the second one names, into `NAME.rendered`, or `NAME.refused` with what it says.
final class HelmRender {
    private HelmRender() {}

    public static void main(String[] arguments) throws IOException {
        var helm = new Helm(Path.of(arguments[0]));
        var folder = Path.of(arguments[1]);
        var linted = helm.lint().strict().call();
        Files.writeString(
                folder.resolve("lint"),
                (linted.isFailed() ? "failed\n" : "passed\n") + String.join("\n", linted.getMessages()));
        try (var all = Files.newDirectoryStream(folder, "*.values")) {
            for (var values : all) render(helm, values);
        }
    }

    private static void render(Helm helm, Path values) throws IOException {
        var name = values.getFileName().toString().replace(".values", "");
        var command = helm.template().withName("orders").withNamespace("shop").withKubeVersion("1.31.0");
        command.withValuesFile(values);
        var pipeline = values.resolveSibling(name + ".pipeline");
        if (Files.exists(pipeline)) command.setFile("pipeline", pipeline);
        try {
            Files.writeString(values.resolveSibling(name + ".rendered"), command.call());
        } catch (IllegalStateException refused) {
            Files.writeString(values.resolveSibling(name + ".refused"), String.valueOf(refused.getMessage()));
        }
    }
}
