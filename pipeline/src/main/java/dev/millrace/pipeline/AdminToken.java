package dev.millrace.pipeline;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The token that allows acts on a running pipeline, and to read it where that takes one, as its file has it at the
/// moment: a new one counts at once.
///
/// Without a file nobody may act. Tokens are compared as hashes, in a time that tells nothing of them.
///
/// Thread ownership: any.
record AdminToken(@Nullable Path file) {
    static final AdminToken NONE = new AdminToken(null);

    private static final int LONGEST = 4096;
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{16,1024}");
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    /// What became of a claim.
    enum Claim {
        HOLDS,
        /// Another token, or none.
        DENIED,
        /// Nobody may.
        OFF,
        /// The file is gone, or holds no token.
        UNREADABLE
    }

    /// Of who wants to act.
    Claim check(@Nullable String authorization) {
        return compare(after(BEARER, authorization));
    }

    /// Of who wants to read: also as a browser's password, of whatever user.
    Claim checkReader(@Nullable String authorization) {
        var bearer = after(BEARER, authorization);
        return compare(bearer != null ? bearer : password(after(BASIC, authorization)));
    }

    private static @Nullable String after(String scheme, @Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, scheme, 0, scheme.length())) return null;
        return authorization.substring(scheme.length()).strip();
    }

    private static @Nullable String password(@Nullable String basic) {
        if (basic == null) return null;
        try {
            var pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
            var at = pair.indexOf(':');
            return at < 0 ? null : pair.substring(at + 1);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private Claim compare(@Nullable String claimed) {
        if (file == null) return Claim.OFF;
        String token;
        try {
            token = read(file);
        } catch (IOException | IllegalArgumentException _) {
            return Claim.UNREADABLE;
        }
        if (claimed == null) return Claim.DENIED;
        return MessageDigest.isEqual(hash(token), hash(claimed)) ? Claim.HOLDS : Claim.DENIED;
    }

    /// Why the file is no good, without a word of what is in it; null for a good one.
    @Nullable
    String problem() {
        if (file == null) return null;
        try {
            read(file);
            return null;
        } catch (IOException cause) {
            return "can't be read: " + cause.getClass().getSimpleName();
        } catch (IllegalArgumentException wrong) {
            return wrong.getMessage();
        }
    }

    /// Others than its owner and its group may read it.
    boolean exposed() {
        if (file == null) return false;
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }

    /// The token of a file: what stands in it, without space around. Throws [IllegalArgumentException] for a file that
    /// holds none.
    static String read(Path file) throws IOException {
        byte[] bytes;
        try (var in = Files.newInputStream(file)) {
            bytes = in.readNBytes(LONGEST + 1);
        } catch (UncheckedIOException wrapped) {
            throw wrapped.getCause();
        }
        var text = new String(bytes, StandardCharsets.UTF_8).strip();
        if (bytes.length > LONGEST || !TOKEN.matcher(text).matches())
            throw new IllegalArgumentException(
                    "holds no token: one line of 16 to 1024 printable ASCII characters without space; openssl rand -hex 32"
                            + " makes one");
        return text;
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
