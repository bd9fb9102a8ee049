package dev.millrace.cli;

import dev.millrace.config.AdminConfig;
import dev.millrace.pipeline.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A pipeline that runs in another process, spoken to at its `admin.listen`: which one, as a command's line names it.
///
/// What it answers is somebody else's text: bounded here, and made printable by whoever prints it.
///
/// Thread ownership: the command's thread.
final class RunningPipeline {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 8 << 20;
    private static final int TOKEN_LIMIT = 4096;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description =
                    "the pipeline's YAML file: admin.listen says where it is, admin.token_file what allows to act")
    private @Nullable Path file;

    @Option(names = "--url", paramLabel = "URL", description = "where it is, instead of FILE: http://HOST:PORT")
    private @Nullable URI url;

    @Option(
            names = "--token-file",
            paramLabel = "PATH",
            description = "what allows to act, instead of admin.token_file")
    private @Nullable Path tokenFile;

    private @Nullable URI found;
    private boolean readsWithToken;

    /// It was not found, did not answer, or refused: in one line, with the code to end with.
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1;

        private final int code;

        Failed(ExitCode code, String line) {
            super(line);
            this.code = code.code();
        }

        int code() {
            return code;
        }
    }

    String get(String path) throws Failed {
        var to = find().resolve(path);
        var request = HttpRequest.newBuilder(to);
        return send(readsWithToken ? request.header("Authorization", bearer(to)) : request);
    }

    /// Does what a path stands for, as whoever has the token.
    String post(String path, Map<String, String> named) throws Failed {
        var to = find().resolve(path);
        var bearer = bearer(to);
        var form = named.entrySet().stream()
                .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return send(HttpRequest.newBuilder(to)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Authorization", bearer)
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    }

    private String bearer(URI to) throws Failed {
        if ("http".equals(to.getScheme()) && !onThisMachine(to.getHost()))
            throw new Failed(
                    ExitCode.BAD_CONFIGURATION,
                    to.getHost()
                            + " is another machine, and the token would go there in clear: do this on that machine,"
                            + " or name an --url with https that leads to it");
        return "Bearer " + token();
    }

    private URI find() throws Failed {
        var known = found;
        if (known != null) return known;
        var at = url == null ? ofFile() : url;
        readsWithToken |= url != null && tokenFile != null;
        if (at.getHost() == null || !("http".equals(at.getScheme()) || "https".equals(at.getScheme())))
            throw new Failed(ExitCode.BAD_CONFIGURATION, "--url: write http://HOST:PORT");
        found = at;
        return at;
    }

    private URI ofFile() throws Failed {
        if (file == null)
            throw new Failed(ExitCode.BAD_CONFIGURATION, "name the pipeline's FILE, or --url http://HOST:PORT");
        var config = PipelineFile.read(file);
        if (config == null) throw new Failed(ExitCode.BAD_CONFIGURATION, file + " is not valid");
        if (!(config.admin() instanceof AdminConfig.Listening(var listen, var tokens, var _, var readers)))
            throw new Failed(ExitCode.BAD_CONFIGURATION, "admin.listen is none: nobody can speak to it");
        if (listen.port() == 0)
            throw new Failed(
                    ExitCode.BAD_CONFIGURATION,
                    "admin.listen has port 0, so any port; its log says which (event=admin_listening): use --url");
        if (tokenFile == null) tokenFile = tokens;
        readsWithToken = readers == AdminConfig.Readers.TOKEN;
        var host = everywhere(listen.host()) ? "127.0.0.1" : listen.host();
        return URI.create("http://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + listen.port());
    }

    /// It listens on every address: this machine's own is one of them.
    private static boolean everywhere(String host) {
        try {
            return host.matches("[0-9.:]+") && InetAddress.getByName(host).isAnyLocalAddress();
        } catch (UnknownHostException _) {
            return false;
        }
    }

    private static boolean onThisMachine(String host) throws Failed {
        try {
            var address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (UnknownHostException | SocketException cause) {
            throw new Failed(ExitCode.FATAL, host + ": " + cause.getClass().getSimpleName());
        }
    }

    private String token() throws Failed {
        if (tokenFile == null)
            throw new Failed(
                    ExitCode.BAD_CONFIGURATION,
                    "this needs the token: set admin.token_file in the pipeline's file, or name --token-file");
        try (var in = Files.newInputStream(tokenFile)) {
            var token = new String(in.readNBytes(TOKEN_LIMIT), StandardCharsets.UTF_8).strip();
            if (token.isEmpty() || !token.chars().allMatch(letter -> letter > ' ' && letter < 127))
                throw new Failed(ExitCode.BAD_CONFIGURATION, tokenFile + " holds no token");
            return token;
        } catch (IOException cause) {
            throw new Failed(
                    ExitCode.BAD_CONFIGURATION,
                    tokenFile + " can't be read: " + cause.getClass().getSimpleName());
        }
    }

    private String send(HttpRequest.Builder request) throws Failed {
        var at = find().getHost() + ":" + find().getPort();
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var answer = client.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofInputStream());
            String body;
            try (var in = answer.body()) {
                body = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            } finally {
                client.shutdownNow();
            }
            if (answer.statusCode() >= 200 && answer.statusCode() < 300) return body;
            throw new Failed(ExitCode.BAD_CONFIGURATION, at + ": " + answer.statusCode() + " " + body.strip());
        } catch (IOException cause) {
            throw new Failed(
                    ExitCode.FATAL,
                    at + " does not answer: " + cause.getClass().getSimpleName() + "; does the pipeline run there?");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Failed(ExitCode.FATAL, "interrupted");
        }
    }
}
