package dev.millrace.intake;

import java.util.Map;

/// The bounds of every server of HTTP in this process. The JDK's reads them once, from properties of the process, when
/// the first one is made: what was set before, as by the command line, stays.
public final class HttpBounds {
    private static final String CONNECTIONS = "jdk.httpserver.maxConnections";

    /// Seconds for a request from its first byte to the last of its body, seconds for an answer from then on, bytes of
    /// request line and headers with 32 for each, headers.
    private static final Map<String, String> BOUNDS = Map.of(
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "30",
            "sun.net.httpserver.maxReqHeaderSize", "16384",
            "sun.net.httpserver.maxReqHeaders", "64");

    private HttpBounds() {}

    /// Of a process that only people and scrapers ask: each server has 64 connections.
    public static void forPeople() {
        set(CONNECTIONS, "64");
        BOUNDS.forEach(HttpBounds::set);
    }

    /// Of one that rows are posted to: each server has 1,100.
    public static void forPosts() {
        set(CONNECTIONS, "1100");
        BOUNDS.forEach(HttpBounds::set);
    }

    private static void set(String name, String value) {
        if (System.getProperty(name) == null) System.setProperty(name, value);
    }
}
