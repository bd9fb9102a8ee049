package dev.millrace.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The main class of a [BrokerProcess]: one broker that lives until it is told to end or its parent is gone.
///
/// Says [#READY] on its standard output when the broker takes requests. Ends when its standard input does,
/// which is when its parent dies, however it dies.
final class BrokerMain {
    static final String READY = "millrace lab broker ready";

    private BrokerMain() {}

    /// What to give [#main].
    static List<String> arguments(Path directory, int port, int controllerPort, Map<String, String> properties) {
        var arguments =
                new ArrayList<>(List.of(directory.toString(), String.valueOf(port), String.valueOf(controllerPort)));
        properties.forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    @SuppressWarnings("SystemOut") // the line its parent waits for
    public static void main(String[] args) throws IOException {
        var properties = new HashMap<String, String>();
        // A killed broker's session stays open, and the next start waits for its end: 9 seconds by default.
        properties.put("broker.session.timeout.ms", "2000");
        properties.put("broker.heartbeat.interval.ms", "100");
        for (String pair : List.of(args).subList(3, args.length)) {
            int equals = pair.indexOf('=');
            properties.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        var node = KafkaNode.start(Path.of(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]), properties);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(node::stop));
        System.out.println(READY);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is ever said there; only its end counts.
        }
        System.exit(0);
    }
}
