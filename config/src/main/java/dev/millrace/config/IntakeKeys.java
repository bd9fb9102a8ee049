package dev.millrace.config;

import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The keys below `source.http`.
final class IntakeKeys {
    static final Setting<HostPort> LISTEN = Setting.of(
                    "listen",
                    new WordType<>(
                            "an address to listen on",
                            "host:port, such as 127.0.0.1:8088 (port 0: any free one)",
                            HostPort::parse),
                    "where rows are posted to")
            .byDefault("127.0.0.1:8088");
    static final Setting<List<String>> TOPICS = Setting.of(
                    "topics", TopicsType.NAMES, "names that may be posted to, at /v1/NAME")
            .needed();
    static final Setting<Long> MAX_BODY = Setting.of(
                    "max_body", SizeType.between("1KiB", "64MiB"), "the longest body that is read")
            .byDefault("4MiB");
    static final Setting<Integer> MAX_REQUESTS = Setting.of(
                    "max_requests",
                    CountType.between(1, 1024),
                    "requests whose bodies are read at once; more are told to come again")
            .byDefault("64");
    static final Setting<Duration> WAIT_TIMEOUT = Setting.of(
                    "wait_timeout",
                    DurationType.between("100ms", "25s"),
                    "how long a request with ?wait=durable waits for its rows to be written")
            .byDefault("20s");
    static final Setting<Path> TOKEN_FILE = Setting.of(
                    "token_file",
                    WordType.absolutePath("a path", "/run/secrets/millrace-intake"),
                    "a file with the token, 16 characters or more, that each request has to show; read again for each")
            .leftOut("whoever reaches it may post, so it listens on loopback only");
    static final Setting<Path> CERT_FILE = Setting.of(
                    "cert_file",
                    WordType.absolutePath("a path", "/etc/ssl/intake.pem"),
                    "a PEM file of the certificate that it shows, with those that vouch for it")
            .needed();
    static final Setting<Path> KEY_FILE = Setting.of(
                    "key_file",
                    WordType.absolutePath("a path", "/etc/ssl/intake.key"),
                    "a PEM file of that certificate's key, PKCS#8 and unencrypted")
            .needed();
    static final Section TLS =
            Section.of("tls", "speaks https; without it what comes can be read on its way", CERT_FILE, KEY_FILE);
    static final Section HTTP = Section.of(
            "http",
            "an intake: rows are posted, a JSON object a line; there is no log to read again",
            LISTEN,
            TOPICS,
            MAX_BODY,
            MAX_REQUESTS,
            WAIT_TIMEOUT,
            TOKEN_FILE,
            TLS,
            PlaintextChecks.ALLOW);

    private IntakeKeys() {}
}
