package dev.millrace.httpclient;

import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificates of one sink, as their files hold them now: read again for every attempt, as
/// passwords are.
///
/// Files that can't be used, and a certificate whose key is not there yet, change nothing: what was read
/// before goes on, and each trouble is told once.
///
/// Thread ownership: shared; guarded by itself.
final class Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);

    /// What is in use. `context` is null where the JDK's own authorities do and nothing is shown.
    /// `number` is another for other certificates.
    record Current(@Nullable SSLContext context, long number) {}

    private final String of;
    private final Tls tls;
    private @Nullable Current current;

    /// What `current` was made of.
    private TlsFiles.Pems good = TlsFiles.Pems.NONE;

    private @Nullable String trouble;

    /// `of` is the kind of sink, as its section in the file is named.
    Certificates(String of, Tls tls) {
        this.of = of;
        this.tls = tls;
    }

    /// Throws `IllegalArgumentException`, which names the file, where none were ever read and
    /// these can't be used.
    synchronized Current current() {
        var before = current;
        try {
            var now = TlsFiles.read(of, tls);
            if (before != null && now.equals(good)) {
                trouble = null;
                return before;
            }
            var made = new Current(TlsFiles.context(of, tls, now), before == null ? 1 : before.number() + 1);
            current = made;
            good = now;
            trouble = null;
            if (before != null)
                LOG.atInfo().addKeyValue("event", of + "_tls_reloaded").log("the files of {}.tls changed", of);
            return made;
        } catch (IllegalArgumentException unfit) {
            if (before == null) throw unfit;
            tell(String.valueOf(unfit.getMessage()));
            return before;
        }
    }

    private void tell(String what) {
        if (what.equals(trouble)) return;
        trouble = what;
        LOG.atError().addKeyValue("event", of + "_tls_files_unfit").log("{}; what was read before stays in use", what);
    }
}
