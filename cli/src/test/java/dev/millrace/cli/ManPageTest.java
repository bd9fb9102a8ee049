package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

/// The man page knows every command, and is one to man.
final class ManPageTest {
    private final CommandSpec program = Main.command().getCommandSpec();
    private final String page = ManPage.of(program, "1.2.3");

    @Test
    void everyCommandAndEveryOptionIsTold() {
        var leaves = leaves(program);
        assertThat(leaves).hasSizeGreaterThan(12);
        for (var command : leaves) {
            var heading = ".SS \"" + command.qualifiedName().replace("-", "\\-");
            assertThat(page).contains(heading);
            var section = page.substring(page.indexOf(heading) + 1);
            var own = section.substring(0, section.indexOf("\n.S"));
            for (var option : command.options())
                if (!option.hidden() && !option.usageHelp() && !option.versionHelp())
                    assertThat(own).contains(".B " + option.longestName().replace("-", "\\-"));
        }
    }

    @Test
    void everyLineThatBeginsWithADotIsARequestOfMan() {
        assertThat(page.lines().filter(line -> line.startsWith(".") || line.startsWith("'")))
                .allSatisfy(line -> assertThat(line).matches("\\.(TH|SH|SS|TP|PP|B|nf|fi)( .*)?"));
        assertThat(page).startsWith(".TH \"MILLRACE\" \"1\" \"\" \"Millrace 1.2.3\"\n");
    }

    @Test
    void whatAPersonLooksForIsThere() {
        assertThat(page)
                .contains(".SH \"EXIT STATUS\"", "Exit codes: 0 drained", ".SH ENVIRONMENT", "MILLRACE_JAVA_OPTS");
        assertThat(page).doesNotContain("${DEFAULT-VALUE}", "%n", "@|");
    }

    private static List<CommandSpec> leaves(CommandSpec command) {
        if (command.subcommands().isEmpty()) return List.of(command);
        var leaves = new ArrayList<CommandSpec>();
        for (var below : command.subcommands().values()) leaves.addAll(leaves(below.getCommandSpec()));
        return leaves;
    }
}
