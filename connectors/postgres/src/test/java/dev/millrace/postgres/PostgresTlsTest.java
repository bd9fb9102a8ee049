package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.http.Pem;
import dev.millrace.postgres.PostgresSettings.Tls;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `verify-full` against a real server with a certificate for `localhost`.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresTlsTest {
    private Pem own = Pem.NONE;
    private Pem other = Pem.NONE;
    private LabPostgres server;

    @BeforeAll
    void launch(@TempDir Path directory) throws Exception {
        own = Pem.make(directory, "server", "EC", "256");
        other = Pem.make(directory, "other", "EC", "256");
        Files.setPosixFilePermissions(own.keyFile(), PosixFilePermissions.fromString("rw-------"));
        server = LabPostgres.launch(Map.of(
                "ssl", "on",
                "ssl_cert_file", own.certificateFile().toString(),
                "ssl_key_file", own.keyFile().toString()));
        server.createDatabase("shop");
        server.createUser("clerk", "secret-of-clerk");
        server.execute("shop", """
                create table t (id int, encrypted bool);
                grant insert on t to clerk;
                create function seen() returns trigger language plpgsql as $$ begin
                  new.encrypted := (select ssl from pg_stat_ssl where pid = pg_backend_pid()); return new; end $$;
                create trigger seen before insert on t for each row execute function seen()""");
    }

    @AfterAll
    void close() {
        server.close();
    }

    private static PostgresSettings trusting(Path authority) {
        var base = Warehouse.settings("t");
        return new PostgresSettings(
                "t",
                new PostgresSettings.Login("clerk", Password.of("secret-of-clerk"), new Tls.VerifyFull(authority)),
                base.rows(),
                base.limits());
    }

    private URI at(String host) {
        return URI.create("postgres://" + host + ":" + server.port() + "/shop");
    }

    @Test
    void rowsGoEncryptedToTheServerThatIsVouchedFor() throws Exception {
        try (var warehouse = Warehouse.open(trusting(own.certificateFile()), at("localhost"))) {
            assertThat(warehouse.write("{\"id\":1}")).isEqualTo(new Written(1, 0));
        }
        assertThat(server.query("shop", "select id, encrypted from t")).containsExactly("1|t");
    }

    @Test
    void anotherNameAndAnotherAuthorityAreRefused() {
        notLoggedInTo(trusting(own.certificateFile()), at("127.0.0.1"), "The hostname 127.0.0.1 could not be verified");
        notLoggedInTo(trusting(other.certificateFile()), at("localhost"), "SSL error");
    }

    private static void notLoggedInTo(PostgresSettings settings, URI address, String why) {
        assertThat(PostgresSinkTest.describe(settings, address))
                .isInstanceOfSatisfying(
                        Description.NotReachable.class,
                        told -> assertThat(told.failure().message())
                                .contains(why)
                                .doesNotContain("secret"));
    }
}
