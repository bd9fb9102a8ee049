package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// Reads the two settings that are either a word or a place: `drain.report` and `admin.listen`. Null for neither.
final class Targets {
    private Targets() {}

    /// A path needs a `/`, so that a misspelt `stdout` is no file's name.
    static DrainConfig.@Nullable Report report(String text) {
        if (text.equals("stdout")) return new DrainConfig.Report.Stdout();
        var path = text.indexOf('/') >= 0 ? WordType.path(text) : null;
        return path == null ? null : new DrainConfig.Report.ToFile(path);
    }

    static @Nullable AdminConfig admin(String text) {
        if (text.equals("none")) return new AdminConfig.Off();
        var address = HostPort.parse(text);
        return address == null ? null : new AdminConfig.Listening(address);
    }
}
