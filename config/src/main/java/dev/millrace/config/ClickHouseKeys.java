package dev.millrace.config;

import dev.millrace.config.ClickHouseConfig.Compression;
import dev.millrace.config.ClickHouseConfig.Coordinate;
import dev.millrace.config.ClickHouseConfig.Format;
import dev.millrace.config.ClickHouseConfig.UnknownFields;
import dev.millrace.config.ClickHouseConfig.Verdict;
import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The keys below `clickhouse`.
final class ClickHouseKeys {
    static final Setting<String> DATABASE = Setting.of(
                    "database", WordType.identifier("a database"), "where the table is")
            .needed();
    static final Setting<String> TABLE =
            Setting.of("table", WordType.identifier("a table"), "where rows go").needed();
    static final Setting<String> USER = Setting.of(
                    "user",
                    new WordType<>("a user", "1 to 255 characters on one line, none of them :", ClickHouseKeys::user),
                    "who writes")
            .leftOut("required without token");
    static final Setting<Secret> PASSWORD =
            Setting.of("password", new SecretType(), "the user's password").leftOut("the user has none");
    static final Setting<Secret> TOKEN = Setting.of(
                    "token", new SecretType(), "what is shown in the place of user and password, as a bearer token")
            .leftOut("none is shown");
    static final Setting<Format> FORMAT = Setting.of(
                    "format",
                    ChoiceType.of(Format.class),
                    "whether rows are typed here, by the table's columns, or by the server")
            .byDefault("row_binary");
    static final Setting<Compression> COMPRESSION = Setting.of(
                    "compression", ChoiceType.of(Compression.class), "how rows are packed on their way")
            .byDefault("lz4");
    static final Setting<UnknownFields> UNKNOWN_FIELDS = Setting.of(
                    "unknown_fields", ChoiceType.of(UnknownFields.class), "what a field without a column does")
            .byDefault("refuse");
    static final Setting<Path> CA_FILE = Setting.of(
                    "ca_file", WordType.absolutePath("a path"), "the authorities to trust, PEM")
            .leftOut("the JDK's authorities");
    static final Setting<Path> CERT_FILE = Setting.of(
                    "cert_file", WordType.absolutePath("a path"), "the certificate to show, PEM")
            .leftOut("none is shown");
    static final Setting<Path> KEY_FILE = Setting.of(
                    "key_file", WordType.absolutePath("a path"), "the certificate's key, PEM (PKCS#8)")
            .leftOut("none is shown");
    static final Section TLS = Section.of("tls", "how https endpoints are checked", CA_FILE, CERT_FILE, KEY_FILE);
    static final Setting<SortedMap<String, String>> SETTINGS = Setting.of(
                    "settings", new ServerSettingsType(), "settings of the server, sent with every insert")
            .leftOut("none");
    static final Map<Coordinate, Setting<String>> COORDINATES_BY_PART = coordinates();
    static final Section COORDINATES = Section.of(
            "coordinates",
            "columns that tell where a row came from",
            COORDINATES_BY_PART.values().toArray(Key[]::new));
    static final Setting<List<Verdict>> VERDICTS = Setting.of(
                    "verdicts",
                    new VerdictsType(),
                    "whom an error of the server's blames, where that is not as built in")
            .leftOut("as millrace explain-error tells");
    static final Section CLICKHOUSE = Section.of(
            "clickhouse",
            "a ClickHouse table",
            DATABASE,
            TABLE,
            USER,
            PASSWORD,
            TOKEN,
            FORMAT,
            COMPRESSION,
            UNKNOWN_FIELDS,
            COORDINATES,
            SourceKeys.ALLOW_PLAINTEXT,
            TLS,
            SETTINGS,
            VERDICTS);

    private ClickHouseKeys() {}

    private static Map<Coordinate, Setting<String>> coordinates() {
        var all = new EnumMap<Coordinate, Setting<String>>(Coordinate.class);
        for (var part : Coordinate.values())
            all.put(
                    part,
                    Setting.of(part.key(), WordType.identifier("a column"), part.doc())
                            .leftOut("not stored"));
        return Collections.unmodifiableMap(all);
    }

    private static @Nullable String user(String text) {
        var fits =
                !text.isBlank() && text.length() <= 255 && text.chars().noneMatch(c -> c < ' ' || c == 127 || c == ':');
        return fits ? text : null;
    }
}
