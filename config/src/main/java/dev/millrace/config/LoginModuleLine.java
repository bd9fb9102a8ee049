package dev.millrace.config;

import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The text of `sasl.jaas.config`: which class logs in, and with what.
///
/// A login module is a class that the client makes and runs, so only the client's own and the JDK's for Kerberos may
/// stand there. Words and quotes are taken apart as the client takes them apart.
final class LoginModuleLine {
    static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
    static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";
    private static final List<String> MODULES = List.of(
            PLAIN,
            SCRAM,
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
            "com.sun.security.auth.module.Krb5LoginModule");

    private LoginModuleLine() {}

    /// The line of a module that takes a user and a password.
    static String of(String module, String user, String password) {
        return module + " required username=" + quoted(user) + " password=" + quoted(password) + ";";
    }

    private static String quoted(String text) {
        return '"'
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + '"';
    }

    /// What is wrong with a line, without a word of it; null where nothing is. What the client itself would refuse is
    /// left to it.
    static @Nullable String refusal(String line) {
        var words = new StreamTokenizer(new StringReader(line));
        words.slashSlashComments(true);
        words.slashStarComments(true);
        words.wordChars('-', '-');
        words.wordChars('_', '_');
        words.wordChars('$', '$');
        try {
            words.nextToken();
            if (words.sval == null || !MODULES.contains(words.sval))
                return "names a login module that is none of the client's own, and would run its code; use "
                        + String.join(", ", MODULES) + ", or source.kafka.login";
            while (words.nextToken() != StreamTokenizer.TT_EOF && words.ttype != ';') {}
            return words.ttype == ';' && words.nextToken() != StreamTokenizer.TT_EOF
                    ? "names more than one login module, of which the client takes one; keep one, and quote what holds a ;"
                    : null;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
