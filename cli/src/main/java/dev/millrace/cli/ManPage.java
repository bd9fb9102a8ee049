package dev.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// `millrace(1)`, in the language of man, from what the commands say of themselves. The build writes it into the
/// archive.
///
/// Thread ownership: one thread.
final class ManPage {
    private static final String ENVIRONMENT = """
            .SH ENVIRONMENT
            .TP
            .B JAVA_HOME
            where Java 25 is; the PATH and the usual folders are looked through after it
            .TP
            .B MILLRACE_JAVA_OPTS
            options of the JVM, such as
            .B \\-Xmx2g
            .TP
            .B NOTIFY_SOCKET
            set by systemd, which is told when the pipeline runs and when it drains
            .PP
            What a pipeline's file names as ${VAR} is read from the environment too.
            """;
    private static final String LAUNCHER = """
            .SH STARTING FASTER
            .B millrace \\-\\-train
            makes the JVM's AOT cache beside the program, by a small run against a broker of its own. It fits that JVM alone: run it again
            after Java was updated.
            """;
    private static final String EXAMPLES = """
            .SH EXAMPLES
            .nf
            millrace validate pipeline.yaml
            millrace doctor pipeline.yaml
            millrace run pipeline.yaml
            .fi
            """;

    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    /// Writes it to the file that the only argument names.
    public static void main(String[] arguments) throws IOException {
        var file = Path.of(arguments[0]);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, of(Main.command().getCommandSpec(), Version.number()));
    }

    static String of(CommandSpec command, String version) {
        return new ManPage().write(command, version);
    }

    private String write(CommandSpec command, String version) {
        macro("TH", command.name().toUpperCase(Locale.ROOT), "1", "", "Millrace " + version);
        macro("SH", "NAME");
        text(command.name() + " - " + firstLine(command));
        macro("SH", "SYNOPSIS");
        line(".B " + escaped(command.name()));
        line(escaped("COMMAND [OPTION]... [ARGUMENT]..."));
        macro("SH", "DESCRIPTION");
        text(String.join(" ", command.usageMessage().description()));
        options(command);
        macro("SH", "COMMANDS");
        subcommands(command).forEach(this::command);
        macro("SH", "EXIT STATUS");
        text(Stream.of(command.usageMessage().footer())
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining(" ")));
        page.append(ENVIRONMENT).append(LAUNCHER).append(EXAMPLES);
        return page.toString();
    }

    private void command(CommandSpec command) {
        var inner = subcommands(command);
        if (inner.isEmpty()) {
            macro("SS", synopsis(command));
            text(String.join(" ", command.usageMessage().description()));
            options(command);
        } else {
            inner.forEach(this::command);
        }
    }

    /// Each once, whatever its aliases, without what every command has.
    private static List<CommandSpec> subcommands(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(line -> line.getCommandSpec())
                .filter(spec -> !spec.usageMessage().hidden())
                .distinct()
                .toList();
    }

    private void options(CommandSpec command) {
        for (var parameter : command.positionalParameters()) entry(label(parameter), parameter.description());
        for (var option : command.options()) {
            if (!told(option, command)) continue;
            entry(String.join(", ", option.names()) + argument(option), option.description());
        }
    }

    /// Help is told once, of the whole program.
    private static boolean told(OptionSpec option, CommandSpec command) {
        var help = option.usageHelp() || option.versionHelp();
        return !option.hidden() && (!help || command.parent() == null);
    }

    private void entry(String term, String[] description) {
        line(".TP");
        line(".B " + escaped(term));
        text(String.join(" ", description).replace("%n", " "));
    }

    private static String synopsis(CommandSpec command) {
        return Stream.concat(
                        Stream.of(command.qualifiedName()),
                        command.positionalParameters().stream().map(ManPage::label))
                .collect(Collectors.joining(" "));
    }

    private static String label(PositionalParamSpec parameter) {
        return parameter.arity().min() == 0 ? "[" + parameter.paramLabel() + "]" : parameter.paramLabel();
    }

    private static String argument(OptionSpec option) {
        return option.arity().max() == 0 ? "" : " " + option.paramLabel();
    }

    private static String firstLine(CommandSpec command) {
        return String.join(" ", command.usageMessage().description()).replaceAll("\\.$", "");
    }

    private void macro(String name, String... arguments) {
        line("." + name + " "
                + Stream.of(arguments)
                        .map(text -> '"' + escaped(text).replace("\"", "\\(dq") + '"')
                        .collect(Collectors.joining(" ")));
    }

    /// As one paragraph: a line that begins with a dot or a quote would be a request.
    private void text(String text) {
        var plain = escaped(Help.Ansi.OFF.string(text.strip()));
        line(plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
