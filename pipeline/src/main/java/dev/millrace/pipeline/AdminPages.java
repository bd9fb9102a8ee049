package dev.millrace.pipeline;

import dev.millrace.pipeline.AdminServer.Answer;
import java.util.Map;
import java.util.function.Supplier;

/// The paths of the admin endpoints, and who answers each.
record AdminPages(
        Supplier<Answer> health, Supplier<Answer> readiness, Supplier<Answer> status, Supplier<Answer> metrics) {
    Map<String, Supplier<Answer>> pages() {
        return Map.of("/healthz", health, "/readyz", readiness, "/status", status, "/metrics", metrics);
    }
}
