package dev.millrace.bench;

import dev.millrace.bench.OrdersIntoPostgres.Cost;
import dev.millrace.bench.OrdersIntoPostgres.Delay;
import dev.millrace.config.Delivery;
import dev.millrace.lab.BrokerProcess;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// What effectively once costs beside at least once, in rows a second, processor time and delay:
/// with few partitions and with many, since each is cut for itself.
///
/// The arms take turns. A ratio is of two readings of one round, and so is a difference, so that
/// what else the machine does hits both.
///
/// Thread ownership: the command's thread.
final class DeliveryBench {
    /// How much of it: `rows` of backlog; `seconds` of rows at a constant rate; each read once by
    /// each arm in each of `rounds`, the backlog `warmUps` times before.
    record Extent(int rows, int seconds, int rounds, int warmUps) {}

    private static final List<Integer> PARTITIONS = List.of(1, 12, 64);
    private static final List<Delivery> ARMS = List.of(Delivery.AT_LEAST_ONCE, Delivery.EFFECTIVELY_ONCE);
    private static final int MOST_PER_SECOND = 5_000;
    private static final String LINE = "  %-18s %-32s %-22s %-22s %-28s %s%n";

    private final Extent extent;
    private final PrintStream out;

    DeliveryBench(Extent extent, PrintStream out) {
        this.extent = extent;
        this.out = out;
    }

    void run() throws InterruptedException {
        try (var server = OrdersIntoPostgres.launchServer();
                var broker = BrokerProcess.launch()) {
            out.printf(
                    Locale.ROOT,
                    "%d processors, JDK %s, %s, %s, one shard, batch.linger %s in both arms, load %.2f%n",
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    System.getProperty("os.name"),
                    server.query("postgres", "select split_part(version(), ' on ', 1)")
                            .getFirst(),
                    OrdersIntoPostgres.LINGER,
                    load());
            out.flush();
            var orders = new OrdersIntoPostgres(server, broker);
            for (var partitions : PARTITIONS)
                run(
                        orders,
                        OrderTopic.fill(broker.bootstrapServers(), "orders-" + partitions, partitions, extent.rows()));
        }
    }

    private void run(OrdersIntoPostgres orders, OrderTopic topic) throws InterruptedException {
        for (var n = 0; n < extent.warmUps(); n++) for (var arm : ARMS) orders.backlog(topic, arm);
        var costs = rounds(arm -> orders.backlog(topic, arm));
        var slowest = ARMS.stream()
                .mapToDouble(arm -> figures(costs, arm, Cost::rowsPerSecond).median())
                .min()
                .orElseThrow();
        var rate = (int) Math.min(MOST_PER_SECOND, Math.ceil(slowest / 2));
        var delays = rounds(arm -> orders.stream(topic, arm, rate, extent.seconds()));
        table(topic, rate, costs, delays);
    }

    /// One reading by one arm.
    private interface Reading<T> {
        T read(Delivery arm) throws InterruptedException;
    }

    private <T> Map<Delivery, List<T>> rounds(Reading<T> reading) throws InterruptedException {
        var read = new EnumMap<Delivery, List<T>>(Delivery.class);
        for (var n = 0; n < extent.rounds(); n++) {
            // What one arm leaves behind hits the other in every second round.
            for (var arm : n % 2 == 0 ? ARMS : ARMS.reversed())
                read.computeIfAbsent(arm, _ -> new ArrayList<>()).add(reading.read(arm));
        }
        return read;
    }

    private void table(OrderTopic topic, int rate, Map<Delivery, List<Cost>> costs, Map<Delivery, List<Delay>> delays) {
        out.printf(
                Locale.ROOT,
                "%n%d partitions: %,d rows of %d bytes, then %,d rows/s for %d s, %d rounds, median (min .. max), load %.2f%n",
                topic.partitions(),
                topic.records(),
                topic.valueBytes() / topic.records(),
                rate,
                extent.seconds(),
                extent.rounds(),
                load());
        out.printf(LINE, "", "rows/s", "CPU s/GB", "broker CPU s/GB", "delay p50, ms", "delay p99, ms");
        for (var arm : ARMS) {
            out.printf(
                    LINE,
                    arm.name().toLowerCase(Locale.ROOT),
                    figures(costs, arm, Cost::rowsPerSecond).text("%,.0f"),
                    figures(costs, arm, Cost::cpuSecondsPerGigabyte).text("%.2f"),
                    figures(costs, arm, Cost::brokerCpuSecondsPerGigabyte).text("%.2f"),
                    figures(delays, arm, Delay::median).text("%,.0f"),
                    figures(delays, arm, Delay::high).text("%,.0f"));
        }
        out.printf(
                LINE,
                "ratio, or added",
                ratio(costs, Cost::rowsPerSecond),
                ratio(costs, Cost::cpuSecondsPerGigabyte),
                ratio(costs, Cost::brokerCpuSecondsPerGigabyte),
                added(delays, Delay::median),
                added(delays, Delay::high));
        out.flush();
    }

    private static <T> String ratio(Map<Delivery, List<T>> read, ToDoubleFunction<T> of) {
        return compared(read, of, (once, least) -> once / least).text("%.2f");
    }

    private static <T> String added(Map<Delivery, List<T>> read, ToDoubleFunction<T> of) {
        return compared(read, of, (once, least) -> once - least).text("%+,.0f");
    }

    /// Effectively once beside at least once, round by round.
    private static <T> Figures compared(Map<Delivery, List<T>> read, ToDoubleFunction<T> of, DoubleBinaryOperator by) {
        var least = values(read, Delivery.AT_LEAST_ONCE, of);
        var once = values(read, Delivery.EFFECTIVELY_ONCE, of);
        return Figures.of(IntStream.range(0, once.length)
                .mapToDouble(n -> by.applyAsDouble(once[n], least[n]))
                .toArray());
    }

    private static <T> Figures figures(Map<Delivery, List<T>> read, Delivery arm, ToDoubleFunction<T> of) {
        return Figures.of(values(read, arm, of));
    }

    private static <T> double[] values(Map<Delivery, List<T>> read, Delivery arm, ToDoubleFunction<T> of) {
        return read.getOrDefault(arm, List.of()).stream().mapToDouble(of).toArray();
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
