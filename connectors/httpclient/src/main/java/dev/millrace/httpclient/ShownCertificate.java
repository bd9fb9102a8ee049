package dev.millrace.httpclient;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The certificate of a server and its key, as their files hold them now: looked at for every handshake, so that a
/// certificate is renewed without a reload.
///
/// Files that can't be used, and a certificate whose key is not there yet, change nothing: what was read before is
/// shown on, and each trouble is told once. A handshake that began with the one before may end with it.
///
/// Thread ownership: shared; guarded by itself.
final class ShownCertificate extends X509ExtendedKeyManager {
    private static final Logger LOG = LoggerFactory.getLogger(ShownCertificate.class);

    private record Shown(TlsFiles.Pems pems, int number, X509ExtendedKeyManager keys) {}

    private final String of;
    private final Tls tls;
    private Shown now;
    private Shown before;
    private @Nullable String trouble;

    /// Throws an `IllegalArgumentException` that names the file that is wrong, under `of`.
    ShownCertificate(String of, Tls tls) {
        this.of = of;
        this.tls = tls;
        now = before = made(TlsFiles.read(of, tls), 1);
    }

    private Shown made(TlsFiles.Pems pems, int number) {
        return new Shown(pems, number, TlsFiles.keys(of, tls, pems, "server" + number));
    }

    private synchronized X509ExtendedKeyManager current() {
        try {
            var pems = TlsFiles.read(of, tls);
            if (!pems.equals(now.pems())) {
                var next = made(pems, now.number() + 1);
                before = now;
                now = next;
                LOG.atInfo().addKeyValue("event", "intake_tls_reloaded").log("the files of {}.tls changed", of);
            }
            trouble = null;
        } catch (IllegalArgumentException unfit) {
            tell(String.valueOf(unfit.getMessage()));
        }
        return now.keys();
    }

    private void tell(String what) {
        if (what.equals(trouble)) return;
        trouble = what;
        LOG.atError().addKeyValue("event", "intake_tls_files_unfit").log("{}; what was read before is shown on", what);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return current().chooseEngineServerAlias(keyType, issuers, engine);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return current().chooseServerAlias(keyType, issuers, socket);
    }

    @Override
    public synchronized X509Certificate @Nullable [] getCertificateChain(String alias) {
        var chain = now.keys().getCertificateChain(alias);
        return chain == null ? before.keys().getCertificateChain(alias) : chain;
    }

    @Override
    public synchronized @Nullable PrivateKey getPrivateKey(String alias) {
        var key = now.keys().getPrivateKey(alias);
        return key == null ? before.keys().getPrivateKey(alias) : key;
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return current().getServerAliases(keyType, issuers);
    }

    /// It is shown by a server only.
    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
