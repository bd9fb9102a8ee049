package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// Holds the shipped schema to the declarations, and what a validator of another's makes of it.
@Tag("CFG-7")
class SchemaTest {
    private static final Path SHIPPED = Path.of("../docs/pipeline.schema.json");
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private final com.networknt.schema.Schema schema = REGISTRY.getSchema(Configuration.schema(), InputFormat.JSON);

    @Test
    void theShippedSchemaIsTheOneOfTheDeclarations() throws IOException {
        Golden.hold(SHIPPED, Configuration.schema());
    }

    @Test
    void theSchemaIsInTheJarToo() throws IOException {
        try (var in = Objects.requireNonNull(Configuration.class.getResourceAsStream("pipeline.schema.json"))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(Configuration.schema());
        }
    }

    @Test
    void theSchemaIsAValidSchema() {
        var meta = REGISTRY.getSchema(
                com.networknt.schema.SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
        assertThat(meta.validate(Configuration.schema(), InputFormat.JSON)).isEmpty();
    }

    @Test
    void theExampleIsAccepted() throws IOException {
        assertThat(errors(Files.readString(Path.of("../docs/pipeline.example.yaml"))))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.config.ExplainTest#files")
    void whatTheReaderAcceptsIsAccepted(Path file) throws IOException {
        assertThat(errors(Files.readString(file))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "batch: { max_rows: \"${ROWS:-5}\", max_bytes: \"${N}MiB\", linger: \"$${N}${UNIT}\" }",
                "ordering: ${ORDER}",
                "ordering: key\nlanes: 8",
                "batch:",
                "retry: { max_attempts: unlimited, multiplier: 3, jitter: 0.05 }",
                "breaker: { failure_rate: 12.5%, window: 10, min_calls: 3 }"
            })
    void whatMayStandBelowASinkIsAccepted(String lines) {
        assertThat(errors(PipelineText.postgres().sink(lines).text())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            batch: { max_rowz: 5 }                    | additionalProperties
            batch: { max_rows: 0 }                    | minimum
            batch: { max_rows: 10000001 }             | maximum
            batch: { max_rows: 1.5 }                  | type
            batch: { max_rows: many }                 | pattern
            batch: { max_bytes: 64MB }                | pattern
            batch: { linger: 2 }                      | type
            batch: { linger: 2sec }                   | pattern
            batch: { linger: "$${N}" }                | pattern
            batch: 5                                  | type
            breaker: { slow_call: { rate: 80 } }      | type
            breaker: { window: 5 }                    | dependentRequired
            breaker: { failures: 3, failure_rate: 5% } | not
            retry: { jitter: 1.5 }                    | maximum
            ordering: value                           | enum
            lanes: 4                                  | dependentRequired
            lanes: 0                                  | minimum
            topics: []                                | minItems
            topics: [a, a]                            | uniqueItems
            topics: ['a b']                           | pattern
            blackhole: {}                             | not
            clickhouse: {}                            | not
            ambiguous: { then: retry }                  | enum
            """)
    void whatMayNotStandBelowASinkIsRefused(String line, String keyword) {
        assertThat(errors(PipelineText.postgres().sink(line).text()))
                .extracting(Error::getKeyword)
                .contains(keyword);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            group_id: storefront-ingest     | on_no_offset: fail              | required
            name: storefront                | name: store front               | pattern
            topics: [orders, payments]      | topics: { patern: orders }      | additionalProperties
            password: ${PASSWORD}           | password: ''                    | minLength
            s0: [                           | s 0: [                          | propertyNames
            table: public.events            | table: a_table\\n      columns: a | additionalProperties
            group_id: storefront-ingest     | properties: { group.id: a }     | additionalProperties
            """)
    void whatIsWrongElsewhereIsRefused(String old, String replacement, String keyword) {
        var text = PipelineText.postgres()
                .with(old, replacement.replace("\\n", "\n"))
                .text();
        assertThat(errors(text)).extracting(Error::getKeyword).contains(keyword);
    }

    @Test
    void aSinkNeedsAKind() {
        var text = PipelineText.postgres().text();
        var sink = text.substring(0, text.indexOf("    postgres:"));
        assertThat(errors(sink + "    batch:\n")).isNotEmpty();
        assertThat(errors(sink + "    blackhole:\n")).isEmpty();
    }

    @Test
    void whatIsNotBuiltIsNotInIt() throws IOException {
        assertThat(errors(Files.readString(Path.of("src/test/resources/unbuilt/every-unbuilt-word.yaml"))))
                .isNotEmpty();
        assertThat(Configuration.schema()).doesNotContain("not built", "protobuf");
    }

    @Test
    void itIsAsciiAndNamesItsDialect() {
        assertThat(Configuration.schema()).isASCII().contains("\"https://json-schema.org/draft/2020-12/schema\"");
        assertThat(URI.create(SpecificationVersion.DRAFT_2020_12.getDialectId()))
                .hasHost("json-schema.org");
    }

    private List<Error> errors(String yaml) {
        var tree = new Load(LoadSettings.builder().setSchema(new CoreSchema()).build()).loadFromString(yaml);
        return schema.validate(json(tree).print(""), InputFormat.JSON);
    }

    /// As an editor reads YAML 1.2: plain texts that look like numbers or booleans are such.
    private static Json json(@Nullable Object tree) {
        return switch (tree) {
            case Map<?, ?> map -> {
                var object = Json.Obj.empty();
                for (var entry : map.entrySet()) {
                    object = object.with(String.valueOf(entry.getKey()), json(entry.getValue()));
                }
                yield object;
            }
            case List<?> list ->
                new Json.Arr(list.stream().map(SchemaTest::json).toList());
            case String text -> new Json.Str(text);
            case null -> new Json.Word("null");
            case Object word -> new Json.Word(word.toString());
        };
    }
}
