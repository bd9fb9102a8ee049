package dev.millrace.config;

import dev.millrace.config.ChoiceType.Choice;
import dev.millrace.config.HttpConfig.Compression;
import dev.millrace.config.HttpConfig.Method;
import dev.millrace.config.HttpConfig.RememberedBy;
import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.regex.Pattern;

/// The keys below `http`.
final class HttpKeys {
    private static final Pattern MEDIA_TYPE = Pattern.compile(
            "[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}( ?; ?[A-Za-z0-9!#$&^_.+-]{1,63}=[A-Za-z0-9!#$&^_.+-]{1,63}){0,8}");

    static final Setting<Method> METHOD = Setting.of(
                    "method",
                    new ChoiceType<>(
                            List.of(new Choice.Built<>("POST", Method.POST), new Choice.Built<>("PUT", Method.PUT))),
                    "how a batch is brought")
            .byDefault("POST");
    static final Setting<String> CONTENT_TYPE = Setting.of(
                    "content_type",
                    new WordType<>(
                            "a media type",
                            "type/subtype, with parameters behind a ; as in text/plain; charset=utf-8",
                            text -> MEDIA_TYPE.matcher(text).matches() ? text : null),
                    "what the server is told that the rows are")
            .leftOut("application/x-ndjson with format json, application/octet-stream with format raw");
    static final Setting<Compression> COMPRESSION = Setting.of(
                    "compression", ChoiceType.of(Compression.class), "how rows are packed on their way")
            .byDefault("none");
    static final Setting<String> TOKEN_HEADER = Setting.of(
                    "token_header",
                    new WordType<>(
                            "a header's name",
                            HeadersType.NAME_RULE,
                            text -> HeadersType.isForTokens(text) ? text : null),
                    "the header that carries the batch's token")
            .byDefault("Idempotency-Key");
    static final Setting<SortedMap<String, Secret>> HEADERS = Setting.of(
                    "headers", new HeadersType(), "more headers, sent with every request")
            .leftOut("none");
    static final Setting<String> USER = Setting.of(
                    "user", ClickHouseKeys.USER.type(), "who writes, by basic authentication")
            .leftOut("nobody is named");
    static final Setting<Secret> PASSWORD =
            Setting.of("password", new SecretType(), "the user's password").leftOut("the user has none");
    static final Setting<Secret> BEARER_TOKEN = Setting.of(
                    "bearer_token", new SecretType(), "what is shown in the place of user and password")
            .leftOut("none is shown");
    static final Setting<Duration> REMEMBERS = Setting.of(
                    "remembers",
                    DurationType.between("1s", "8760h"),
                    "how long the server knows a token after it first saw it, by your word: it can't be asked")
            .leftOut("nothing is remembered: what is sent again may be stored twice");
    static final Setting<RememberedBy> REMEMBERED_BY = Setting.of(
                    "remembered_by",
                    ChoiceType.of(RememberedBy.class),
                    "who knows a token: every replica of the shard, or only the one that it was sent to")
            .byDefault("shard")
            .when(new Applies.With(REMEMBERS));
    static final Setting<String> PING_PATH = Setting.of(
                    "ping_path",
                    new WordType<>(
                            "a path",
                            "a path on the replica, such as /health",
                            text -> Endpoint.Receiver.isPath(text) ? text : null),
                    "a GET of it is answered 2xx by a replica that would take a write, and stores nothing")
            .leftOut("a connection is opened and closed, and nothing is sent over it");
    static final Section HTTP = Section.of(
            "http",
            "a server that takes rows as the body of a request",
            METHOD,
            CONTENT_TYPE,
            COMPRESSION,
            TOKEN_HEADER,
            HEADERS,
            USER,
            PASSWORD,
            BEARER_TOKEN,
            REMEMBERS,
            REMEMBERED_BY,
            PING_PATH,
            SourceKeys.ALLOW_PLAINTEXT,
            ClickHouseKeys.TLS);

    private HttpKeys() {}
}
