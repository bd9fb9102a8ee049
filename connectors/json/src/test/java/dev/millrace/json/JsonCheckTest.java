package dev.millrace.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.millrace.json.JsonCheck.Fault;
import dev.millrace.sinkpool.MemberPlaces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonCheckTest {
    private static final JsonFactory JACKSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(1_000_000)
                    .maxNumberLength(10_000_000)
                    .build())
            .build();

    private static @Nullable Fault check(byte[] value) {
        var padded = new byte[value.length + 20];
        Arrays.fill(padded, (byte) '}');
        System.arraycopy(value, 0, padded, 7, value.length);
        return new JsonCheck().object(padded, 7, value.length);
    }

    private static @Nullable Fault check(String value) {
        return check(value.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @Tag("FMT-2")
    @ValueSource(
            strings = {
                "{}",
                " {\t} \r\n",
                "{\"a\":1}",
                "{\"a\":[]}",
                "{\"a\":[[],{},[{}]]}",
                "{\"\":null,\"b\":true,\"c\":false}",
                "{\"a\":-0.5e+10,\"b\":0,\"c\":-0,\"d\":1E400}",
                "{\"a\":\"\\u0041\\n\\\\\\/\\\"\"}",
                "{\"a\":\"\\ud83d\\ude00\"}",
                "{\"a\":\"😀 é ࠀ\"}",
                "{\"a\":{\"b\":{\"c\":[1,2,{\"d\":\"e\"}]}},\"f\":1}",
                "{\"a\":1,\"a\":2}",
                "{\"twenty characters and more\":\"and a value longer than one word of eight\"}"
            })
    void aGoodObjectPasses(String value) {
        assertThat(check(value)).isNull();
    }

    @ParameterizedTest
    @Tag("FMT-2")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|EMPTY",
                "`   `|EMPTY",
                "[]|NOT_AN_OBJECT",
                "1|NOT_AN_OBJECT",
                "null|NOT_AN_OBJECT",
                "NaN|NOT_A_NUMBER",
                "{\"a\":NaN}|NOT_A_NUMBER",
                "{\"a\":-Infinity}|NOT_A_NUMBER",
                "{\"a\":Infinity}|NOT_A_NUMBER",
                "{|TRUNCATED",
                "{\"a|TRUNCATED",
                "{\"a\"|TRUNCATED",
                "{\"a\":|TRUNCATED",
                "{\"a\":tr|TRUNCATED",
                "{\"a\":1|TRUNCATED",
                "{\"a\":1,|TRUNCATED",
                "{\"a\":[1|TRUNCATED",
                "{\"a\":\"\\u12|TRUNCATED",
                "{\"a\":-|TRUNCATED",
                "{\"a\":1.|TRUNCATED",
                "{\"a\":1e|TRUNCATED",
                "{} {}|TRAILING",
                "{}x|TRAILING",
                "{\"a\":01}|BAD_NUMBER",
                "{\"a\":1.}|BAD_NUMBER",
                "{\"a\":.5}|SYNTAX",
                "{\"a\":+1}|SYNTAX",
                "{\"a\":1e+}|BAD_NUMBER",
                "{\"a\":1,}|SYNTAX",
                "{\"a\":[1,]}|SYNTAX",
                "{,}|SYNTAX",
                "{\"a\" 1}|SYNTAX",
                "{a:1}|SYNTAX",
                "{'a':1}|SYNTAX",
                "{\"a\":1 \"b\":2}|SYNTAX",
                "{\"a\":[1}|SYNTAX",
                "{\"a\":1]|SYNTAX",
                "{\"a\":\"\\x\"}|BAD_ESCAPE",
                "{\"a\":\"\\u00g0\"}|BAD_ESCAPE",
                "{\"a\":\"\\ud83d\"}|LONE_SURROGATE",
                "{\"a\":\"\\ude00\"}|LONE_SURROGATE",
                "{\"a\":\"\\ud83dx12345\"}|LONE_SURROGATE",
                "{\"a\":\"\\ud83d\\ud83d\"}|LONE_SURROGATE",
                "{\"a\":tru}|SYNTAX",
                "{//c}|SYNTAX"
            })
    void eachFaultHasItsReason(String value, Fault fault) {
        assertThat(check(value)).isEqualTo(fault);
    }

    @Test
    @DisplayName("FMT-2: bytes that are no UTF-8 are told, wherever they stand; a surrogate in bytes is told apart")
    void badUtf8IsTold() {
        for (var bad : List.of(
                new byte[] {(byte) 0x80},
                new byte[] {(byte) 0xc0, (byte) 0xaf},
                new byte[] {(byte) 0xc1, (byte) 0xbf},
                new byte[] {(byte) 0xe0, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xf0, (byte) 0x80, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xf5, (byte) 0x80, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xff})) {
            assertThat(check(around(bad))).isEqualTo(Fault.BAD_UTF8);
        }
        assertThat(check(around(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80})))
                .isEqualTo(Fault.LONE_SURROGATE);
        assertThat(check(new byte[] {'{', (byte) 0xff})).isEqualTo(Fault.BAD_UTF8);
        assertThat(check(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf, '{', '}'}))
                .isEqualTo(Fault.SYNTAX);
        assertThat(check(new byte[] {'{', '"', 'a', '\n', '"', ':', '1', '}'})).isEqualTo(Fault.CONTROL_CHARACTER);
        assertThat(check(new byte[] {'{', '"', (byte) 0xc3})).isEqualTo(Fault.TRUNCATED);
    }

    private static byte[] around(byte[] bad) {
        var all = new byte[bad.length + 10];
        System.arraycopy("{\"a\":\"".getBytes(StandardCharsets.US_ASCII), 0, all, 0, 6);
        System.arraycopy(bad, 0, all, 6, bad.length);
        System.arraycopy("xx\"}".getBytes(StandardCharsets.US_ASCII), 0, all, 6 + bad.length, 4);
        return all;
    }

    @Test
    @DisplayName("FMT-2: 64 levels pass, 65 do not, and 100,000 levels end no thread")
    void depthIsBounded() {
        assertThat(check("{\"a\":" + "[".repeat(63) + "]".repeat(63) + "}")).isNull();
        assertThat(check("{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}")).isEqualTo(Fault.TOO_DEEP);
        assertThat(check("{\"a\":".repeat(63) + "{}" + "}".repeat(63))).isNull();
        assertThat(check("{\"a\":".repeat(64) + "{}" + "}".repeat(64))).isEqualTo(Fault.TOO_DEEP);
        assertThat(check("{\"a\":".repeat(100_000))).isEqualTo(Fault.TOO_DEEP);
        assertThat(check("[".repeat(100_000))).isEqualTo(Fault.NOT_AN_OBJECT);
    }

    @Test
    @DisplayName("FMT-2: a number of a megabyte is passed once, digit by digit")
    void aHugeNumberIsPassedOnce() {
        assertThat(check("{\"a\":" + "9".repeat(1 << 20) + "}")).isNull();
        assertThat(check("{\"a\":0." + "1".repeat(1 << 20) + "e" + "9".repeat(1 << 10) + "}"))
                .isNull();
    }

    @Test
    @DisplayName("FMT-2: the members of the outermost object alone are placed, in their order")
    void membersArePlaced() {
        var text =
                "x{ \"a\" : {\"b\":[1,{\"c\":2}]}, \"\\u0064\":[{}],\"e\":\"\\\"\" ,\"\":-1 ,\"f\": \"a b\",\"g\":null}y";
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var check = new JsonCheck();
        assertThat(check.object(bytes, 1, bytes.length - 2)).isNull();
        var members = check.members();
        var told = new ArrayList<String>();
        for (var i = 0; i < members.count(); i++)
            told.add(text.substring(members.name(i), members.nameEnd(i))
                    + text.charAt(members.value(i))
                    + text.substring(members.value(i), Math.max(members.value(i), members.valueEnd(i))));
        assertThat(told)
                .containsExactly("\"a\"{", "\"\\u0064\"[", "\"e\"\"", "\"\"--1", "\"f\"\"\"a b\"", "\"g\"nnull");
        assertThat(check.object(bytes, 1, 2)).isEqualTo(Fault.TRUNCATED);
        assertThat(check.members().count()).isZero();
    }

    @Test
    @DisplayName("FMT-2: thousands of members have their places, and the next record its own")
    void manyMembersArePlaced() {
        var many = IntStream.range(0, 10_000)
                .mapToObj(i -> "\"n" + i + "\":" + i % 10)
                .collect(Collectors.joining(","));
        var bytes = ("{" + many + "}").getBytes(StandardCharsets.UTF_8);
        var check = new JsonCheck();
        assertThat(check.object(bytes, 0, bytes.length)).isNull();
        assertThat(check.members().count()).isEqualTo(10_000);
        assertThat(bytes[check.members().value(9_999)]).isEqualTo((byte) '9');
        assertThat(check.object("{\"a\":7}".getBytes(StandardCharsets.UTF_8), 0, 7))
                .isNull();
        assertThat(check.members().count()).isEqualTo(1);
        assertThat(check.members().value(0)).isEqualTo(5);
    }

    @net.jqwik.api.Tag("FMT-2")
    @Property(tries = 1000)
    void whatWasSeenBeforeChangesNothing(@ForAll long seed) {
        var random = new Random(seed);
        var used = new JsonCheck();
        var spellings = new HashMap<Integer, String>();
        for (var value : Mutations.alike(random, 6)) {
            var padding = random.nextInt(12);
            var bytes = Arrays.copyOf(value, value.length + padding);
            // What lies behind may look like more of it.
            System.arraycopy(value, 0, bytes, value.length, Math.min(padding, value.length));
            var context = "seed " + seed + ": " + new String(value, StandardCharsets.ISO_8859_1);
            var fresh = new JsonCheck();
            var fault = fresh.object(bytes, 0, value.length);
            assertThat(used.object(bytes, 0, value.length)).as(context).isEqualTo(fault);
            assertThat(used.at()).as(context).isEqualTo(fresh.at());
            assertThat(places(used.members())).as(context).isEqualTo(places(fresh.members()));
            if (fault == null) spellings(used.members(), bytes, spellings);
        }
    }

    private static List<List<Integer>> places(MemberPlaces members) {
        return IntStream.range(0, members.count())
                .mapToObj(i -> List.of(members.name(i), members.nameEnd(i), members.value(i), members.valueEnd(i)))
                .toList();
    }

    private static void spellings(MemberPlaces members, byte[] bytes, Map<Integer, String> known) {
        for (var i = 0; i < members.count(); i++) {
            var from = members.name(i);
            var name = new String(bytes, from, members.nameEnd(i) - from, StandardCharsets.ISO_8859_1);
            if (members.spelling(i) != 0)
                assertThat(known.computeIfAbsent(members.spelling(i), _ -> name))
                        .isEqualTo(name);
            var value = members.value(i);
            var end = JsonText.end(bytes, value);
            var plain = bytes[value] != '{' && bytes[value] != '[' && !escaped(bytes, value, end);
            assertThat(members.valueEnd(i)).as(name).isEqualTo(plain ? end : 0);
        }
    }

    private static boolean escaped(byte[] bytes, int from, int to) {
        for (var i = from; i < to; i++) if (bytes[i] == '\\') return true;
        return false;
    }

    @Test
    @DisplayName("FMT-2: a name that only begins like the one before, or is longer, is another")
    void namesThatBeginAlikeAreToldApart() {
        var used = new JsonCheck();
        var told = new ArrayList<String>();
        for (var name :
                List.of("id", "ie", "i", "id", "customer_name", "customer_nam", "customer_mame", "customer_name")) {
            var text = "{\"" + name + "\":1}";
            assertThat(used.object(text.getBytes(StandardCharsets.UTF_8), 0, text.length()))
                    .as(name)
                    .isNull();
            told.add(text.substring(used.members().name(0) + 1, used.members().nameEnd(0) - 1) + " "
                    + used.members().spelling(0));
        }
        assertThat(told)
                .containsExactly(
                        "id 1",
                        "ie 2",
                        "i 3",
                        "id 4",
                        "customer_name 5",
                        "customer_nam 6",
                        "customer_mame 7",
                        "customer_name 8");
    }

    @net.jqwik.api.Tag("FMT-2")
    @Property(tries = 4000)
    void agreesWithJacksonOnMutatedValues(@ForAll long seed) {
        var random = new Random(seed);
        var value = Mutations.mutated(random);
        var fault = check(value);
        var context = "seed " + seed + ": " + new String(value, StandardCharsets.ISO_8859_1);
        if (fault == Fault.LONE_SURROGATE || fault == Fault.TOO_DEEP) return; // Jackson lets both pass.
        assertThat(fault == null).as(context).isEqualTo(jacksonTakes(value));
    }

    private static boolean jacksonTakes(byte[] value) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException malformed) {
            return false;
        }
        if (text.startsWith("\ufeff")) return false;
        try (var parser = JACKSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) return false;
            parser.skipChildren();
            if (parser.currentToken() != JsonToken.END_OBJECT) return false;
            return parser.nextToken() == null;
        } catch (IOException refused) {
            return false;
        }
    }

    @Property(tries = 1000)
    void anyBytesAreAnswered(@ForAll byte[] value) {
        assertThatCode(() -> check(value)).doesNotThrowAnyException();
    }
}
