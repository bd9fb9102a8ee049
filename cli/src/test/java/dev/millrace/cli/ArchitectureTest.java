package dev.millrace.cli;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.ObjectInputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds the dependency table of the design, and the two rules that keep machines pure.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {
    private static final String OURS = "dev.millrace.";

    private JavaClasses product = new ClassFileImporter().importClasses(List.of());

    /// One line of the table: a package of ours, and all that it may use besides the JDK.
    record Row(String module, List<String> mayUse) {
        Row(String module, String... mayUse) {
            this(module, List.of(mayUse));
        }

        @Override
        public String toString() {
            return module;
        }
    }

    @BeforeAll
    void read() {
        product = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.millrace");
    }

    static Stream<Row> table() {
        return Stream.of(
                new Row("checkpoint"),
                new Row("breaker", "io.github.resilience4j.circuitbreaker.."),
                new Row("config", "org.snakeyaml.engine.."),
                new Row(
                        "sinkpool",
                        ours("checkpoint"),
                        ours("breaker"),
                        "io.github.resilience4j.core..",
                        "org.slf4j.."),
                new Row(
                        "kafka",
                        ours("config"),
                        ours("checkpoint"),
                        ours("sinkpool"),
                        ours("json"),
                        "org.apache.kafka..",
                        "io.github.resilience4j.retry..",
                        "io.github.resilience4j.core..",
                        "org.slf4j.."),
                new Row("json", ours("sinkpool")),
                new Row(
                        "postgres",
                        ours("config"),
                        ours("checkpoint"),
                        ours("sinkpool"),
                        ours("json"),
                        "org.postgresql..",
                        "com.zaxxer.hikari..",
                        "io.github.resilience4j.retry..",
                        "io.github.resilience4j.core..",
                        "org.slf4j.."),
                new Row("httpclient", ours("sinkpool"), "net.jpountz.lz4..", "com.github.luben.zstd..", "org.slf4j.."),
                new Row("http", ours("sinkpool"), ours("httpclient")),
                new Row("intake", ours("sinkpool"), ours("json"), "com.sun.net.httpserver..", "org.slf4j.."),
                new Row(
                        "clickhouse",
                        ours("config"),
                        ours("checkpoint"),
                        ours("sinkpool"),
                        ours("json"),
                        ours("httpclient"),
                        "org.slf4j.."),
                new Row(
                        "pipeline",
                        ours("config"),
                        ours("checkpoint"),
                        ours("breaker"),
                        ours("sinkpool"),
                        ours("kafka"),
                        ours("postgres"),
                        ours("clickhouse"),
                        ours("http"),
                        ours("httpclient"),
                        ours("intake"),
                        "io.micrometer..",
                        "io.prometheus..",
                        "com.fasterxml.jackson.core..",
                        "com.sun.net.httpserver..",
                        "org.slf4j.."),
                new Row(
                        "testkit",
                        ours("checkpoint"),
                        ours("breaker"),
                        ours("sinkpool"),
                        ours("kafka"),
                        "org.junit.jupiter.api.."),
                new Row(
                        "cli",
                        ours("config"),
                        ours("checkpoint"),
                        ours("sinkpool"),
                        ours("kafka"),
                        ours("postgres"),
                        ours("pipeline"),
                        ours("lab"),
                        ours("testkit"),
                        "picocli..",
                        "org.apache.kafka..",
                        "ch.qos.logback..",
                        "org.slf4j.."),
                new Row(
                        "lab",
                        "org.apache.kafka..",
                        "kafka..",
                        "scala..",
                        "io.zonky..",
                        "net.jpountz..",
                        "com.github.luben..",
                        "org.postgresql..",
                        "org.slf4j.."));
    }

    private static String ours(String module) {
        return OURS + module + "..";
    }

    @ParameterizedTest
    @MethodSource("table")
    void aModuleUsesOnlyWhatTheTableAllows(Row row) {
        var allowed = new ArrayList<>(
                List.of("java..", "javax.net..", "javax.sql..", "org.jspecify.annotations..", ours(row.module())));
        allowed.addAll(row.mayUse());
        classes()
                .that()
                .resideInAPackage(ours(row.module()))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed.toArray(String[]::new))
                .because("the design's table says what " + row.module()
                        + " may use; put the code where its dependency is allowed, or change the table on purpose")
                .check(product);
    }

    @Test
    void monotonicTimeIsReadInOnePlace() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ours("checkpoint"), ours("breaker"), ours("sinkpool"), ours("kafka"), ours("pipeline"))
                .and()
                .doNotHaveFullyQualifiedName("dev.millrace.sinkpool.NanoClock")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .because("machines get time as an argument; a shell takes a NanoClock")
                .check(product);
    }

    @Test
    void wallTimeIsForDisplayOnly() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ours("checkpoint"), ours("breaker"), ours("sinkpool"), ours("config"), ours("postgres"))
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Clock.class, "systemUTC")
                .because("a step of the wall clock must change no linger, backoff, breaker or deadline (TIM-1)")
                .check(product);
    }

    @Test
    void nobodyReadsJavaObjects() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ObjectInputStream.class)
                .because("what is read so may run code; read bytes, JSON or a format of ours")
                .check(product);
    }

    @Test
    void noProgramIsStarted() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ours("lab"))
                .and()
                .resideOutsideOfPackage(ours("bench"))
                .and()
                .resideOutsideOfPackage(ours("fuzz"))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ProcessBuilder.class)
                .orShould()
                .callMethodWhere(target(owner(assignableTo(Runtime.class))).and(target(name("exec"))))
                .because(
                        "run is one process, and nothing that it reads may become a command; servers of the demo are the"
                                + " lab's")
                .check(product);
    }

    @Test
    void testsRunOnTheJdkTheProductIsBuiltFor() {
        assertThat(Runtime.version().feature()).isEqualTo(25);
    }
}
