package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class DiscardServerTest {
    private static final byte[] BODY = new byte[700_001];

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void eachBodyIsReadToItsEndAndCountedWhateverItsFraming() throws Exception {
        var server = DiscardServer.start();
        try (var client = HttpClient.newHttpClient()) {
            var bodies = List.<BodyPublisher>of(
                    BodyPublishers.ofByteArray(BODY),
                    BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(BODY)),
                    BodyPublishers.noBody());
            for (var body : bodies) {
                var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/in"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .POST(body)
                        .build();
                assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                        .isEqualTo(200);
            }
            assertThat(server.told().number("bytes")).isEqualTo(2L * BODY.length);
            assertThat(server.told().number("port")).isEqualTo(server.port());
        }
    }
}
