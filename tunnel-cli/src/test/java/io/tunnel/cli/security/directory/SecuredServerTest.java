package io.tunnel.cli.security.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What 'tunnel security' makes is what a server and the tools take. */
class SecuredServerTest extends CommandLineTest {

  @TempDir private Path files;

  private Path security;
  private Server server;

  @BeforeEach
  void start() throws IOException {
    security = files.resolve("security");
    assertThat(run("security", "init", "--dir", security.toString())).isZero();
    NetConfig net = new NetConfig("127.0.0.1", 0, 0, 1, 100, false);
    server =
        Server.alone(
            files.resolve("data"),
            ServerConfig.defaults(1)
                .withNet(net)
                .withSecurity(new SecurityConfig(security.toString())));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private int ask(String line) {
    return runLine(line + " --server 127.0.0.1:" + server.localAddress().getPort());
  }

  @Test
  void the_administrator_may_all_and_others_nothing() {
    String admin = " --profile " + security + "/admin.json";
    assertThat(
            ask(
                "partition create --table orders --key id:INTEGER --partitions 2 --from 1 --to 9"
                    + admin))
        .as(err::toString)
        .isZero();
    assertThat(ask("stress --create --table load --rows 1000 --partitions 2" + admin))
        .as(err::toString)
        .isZero();
    assertThat(ask("stress --create --table load --rows 1000")).isEqualTo(69);
    assertThat(err.toString()).contains("TLS").doesNotContain("Is a server running");
  }

  @Test
  void what_it_writes_and_backs_up_is_not_for_every_user_of_the_machine() throws IOException {
    String admin = " --profile " + security + "/admin.json";
    assertThat(ask("stress --create --table load --rows 100 --partitions 2" + admin))
        .as(err::toString)
        .isZero();
    server.close();
    Path backups = files.resolve("backups");
    assertThat(run("backup", "--data", files.resolve("data").toString(), "--to", "" + backups))
        .as(err::toString)
        .isZero();
    for (Path top : List.of(files.resolve("data"), backups)) {
      try (Stream<Path> all = Files.walk(top)) {
        assertThat(all.filter(Files::isDirectory))
            .hasSizeGreaterThan(2)
            .allMatch(directory -> rights(directory).endsWith("r-x---"));
      }
    }
    try (Stream<Path> all = Files.walk(backups)) {
      assertThat(all.filter(Files::isRegularFile))
          .hasSizeGreaterThan(2)
          .allMatch(file -> rights(file).equals("rw-r-----"));
    }
    assertThat(rights(files.resolve("data/audit/audit.jsonl"))).isEqualTo("rw-r-----");
    assertThat(rights(files.resolve("data/shard-0/log"))).isEqualTo("rwxr-x---");
  }

  private static String rights(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_grant_to_a_name_that_nobody_has_is_done_and_said() {
    String admin = " --profile " + security + "/admin.json";
    assertThat(ask("security grant --to biling read --on table:orders" + admin)).isZero();
    assertThat(err.toString()).contains("no key or token is for 'biling'");
    assertThat(ask("security grant --to group:ops read --on table:orders" + admin)).isZero();
    assertThat(err.toString()).contains("group:ops has no members yet");
    assertThat(ask("security grant --to CN=ann read --on table:orders" + admin)).isZero();
    assertThat(err.toString()).doesNotContain("CN=ann");
    assertThat(ask("security key create billing" + admin)).isZero();
    assertThat(ask("security grant --to billing read --on table:orders" + admin)).isZero();
    assertThat(err.toString()).doesNotContain("'billing'");
  }

  @Test
  void a_limit_that_is_none_or_is_given_twice_is_refused() {
    String admin = " --profile " + security + "/admin.json";
    String command = "security quota set bob connections=1 ";
    for (String wrong : List.of("tunnels", "tunnels=", "tunnels=x", "tunnels=\u0663", "=3")) {
      assertThat(ask(command + wrong + admin)).isEqualTo(2);
      assertThat(err.toString()).contains("'" + wrong + "' is not LIMIT=NUMBER");
    }
    assertThat(ask(command + "connections=2" + admin)).isEqualTo(2);
    assertThat(err.toString()).contains("limit 'connections' is given twice");
    assertThat(ask("security quota list" + admin)).isZero();
    assertThat(out.toString()).contains("no quotas");
  }

  @Test
  void limits_that_are_not_named_stay() {
    String admin = " --profile " + security + "/admin.json";
    assertThat(ask("security quota set bob connections=2 sessions=3" + admin)).isZero();
    assertThat(ask("security quota set bob connections=none tunnels=4" + admin)).isZero();
    assertThat(out.toString()).contains("bob: sessions=3 tunnels=4");
    assertThat(ask("security quota set bob all=none" + admin)).isZero();
    assertThat(out.toString()).contains("bob has no limits");
    assertThat(ask("security quota set bob" + admin)).isEqualTo(2);
  }

  @Test
  void a_restore_says_which_keys_and_tokens_can_be_used_again() throws IOException {
    String admin = " --profile " + security + "/admin.json";
    assertThat(ask("security key create billing --json" + admin)).isZero();
    String key = JsonParser.parseString(out.toString()).getAsJsonObject().get("id").getAsString();
    Path backups = files.resolve("backups");
    assertThat(run("backup", "--data", files.resolve("data").toString(), "--to", "" + backups))
        .as(err::toString)
        .isZero();
    assertThat(ask("security key revoke " + key + admin)).isZero();
    assertThat(run("restore", "--from", "" + backups, "--data", "" + files.resolve("again")))
        .as(err::toString)
        .isZero();
    assertThat(out.toString())
        .contains("1 access key and 0 tokens of the backup can be used again", key)
        .contains("REVOKE_KEY");
  }

  @Test
  void its_health_is_asked_with_tls() {
    String http = "health --http 127.0.0.1:" + server.httpAddress().orElseThrow().getPort();
    assertThat(runLine(http + " --authority " + security + "/authority.crt")).isZero();
    assertThat(out.toString()).contains("\"status\":\"UP\"");
    assertThat(runLine(http)).isEqualTo(69);
    assertThat(err.toString()).contains("this port speaks TLS");
    assertThat(run("security", "init", "--dir", files.resolve("other").toString())).isZero();
    assertThat(runLine(http + " --authority " + files.resolve("other/authority.crt")))
        .isEqualTo(69);
    assertThat(err.toString()).contains("https://127.0.0.1:");
    assertThat(runLine(http + " --authority " + security + "/server.key")).isEqualTo(2);
    assertThat(err.toString()).contains("holds no certificate in PEM");
  }

  @Test
  void a_client_with_a_certificate_is_known_and_has_no_rights_yet() {
    Path client = files.resolve("billing");
    assertThat(
            run(
                "security",
                "certificate",
                "--dir",
                security.toString(),
                "--client",
                "billing",
                "--out",
                client.toString()))
        .isZero();
    assertThat(
            ask(
                "partition create --table orders --key id:INTEGER --partitions 2 --from 1 --to 9"
                    + " --profile "
                    + client
                    + "/client.json"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("CN=billing");
  }

  @Test
  void who_did_what_is_kept_without_a_secret() throws IOException {
    Path profile = files.resolve("billing.json");
    assertThat(
            ask(
                "security key create billing --out "
                    + profile
                    + " --profile "
                    + security
                    + "/admin.json"))
        .as(err::toString)
        .isZero();
    assertThat(
            ask(
                "partition create --table orders --key id:INTEGER --partitions 2 --from 1 --to 9"
                    + " --profile "
                    + profile))
        .isEqualTo(1);
    String secret =
        JsonParser.parseString(Files.readString(profile))
            .getAsJsonObject()
            .getAsJsonObject("key")
            .get("secret")
            .getAsString();
    String other = "0".repeat(secret.length());
    String changed = Files.readString(profile).replace(secret, other);
    assertThat(changed).contains(other);
    Files.writeString(profile, changed);
    assertThat(ask("stress --table orders --rows 1 --profile " + profile)).isNotZero();
    server.close();
    String written =
        Files.readString(files.resolve("data/audit/administration.jsonl"))
            + Files.readString(files.resolve("data/audit/audit.jsonl"));
    assertThat(written.lines())
        .anyMatch(line -> line.contains("CREATE_KEY") && line.contains("\"outcome\":\"ok\""))
        .anyMatch(line -> line.contains("\"billing\"") && line.contains("NOT_PERMITTED"))
        .anyMatch(line -> line.contains("CONNECT") && line.contains("NOT_AUTHENTICATED"));
    assertThat(written).doesNotContain(secret).doesNotContain(other);
  }

  @Test
  void a_key_whose_profile_cannot_be_made_is_neither_rotated_nor_made() throws IOException {
    String admin = " --profile " + security + "/admin.json";
    Path profile = files.resolve("billing.json");
    assertThat(ask("security key create billing --out " + profile + admin)).isZero();
    String before = Files.readString(profile);
    String id =
        JsonParser.parseString(before)
            .getAsJsonObject()
            .getAsJsonObject("key")
            .get("id")
            .getAsString();
    assertThat(ask("security key rotate " + id + " --out " + profile + admin)).isEqualTo(74);
    assertThat(err.toString()).contains("exists already");
    assertThat(ask("security key create other --out " + profile + admin)).isEqualTo(74);
    assertThat(profile).hasContent(before);
    assertThat(ask("security key list --json" + admin)).isZero();
    assertThat(JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("keys"))
        .anyMatch(key -> key.getAsJsonObject().get("id").getAsString().equals(id))
        .allMatch(key -> key.getAsJsonObject().get("secrets").getAsInt() == 1)
        .noneMatch(key -> key.toString().contains("\"other\""));
    Path again = files.resolve("again.json");
    assertThat(ask("security key rotate nobody --out " + again + admin)).isEqualTo(1);
    assertThat(again).doesNotExist();
    assertThat(ask("security key rotate " + id + " --out " + again + admin)).isZero();
    assertThat(ask("security whoami --profile " + again)).as(err::toString).isZero();
  }
}
