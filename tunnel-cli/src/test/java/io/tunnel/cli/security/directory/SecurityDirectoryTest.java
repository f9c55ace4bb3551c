package io.tunnel.cli.security.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.server.security.MasterKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityDirectoryTest extends CommandLineTest {

  private static final String OWNER = "rw-------";
  private static final String ALL = "rw-r--r--";

  @TempDir private Path files;

  private Path init(String... more) {
    Path directory = files.resolve("made/security");
    String[] line = {"security", "init", "--dir", directory.toString()};
    assertThat(run(Stream.concat(Stream.of(line), Stream.of(more)).toArray(String[]::new)))
        .as(err::toString)
        .isZero();
    return directory;
  }

  private static String text(Path directory, String name) throws IOException {
    return Files.readString(directory.resolve(name));
  }

  private static Map<String, String> rights(Path directory) throws IOException {
    Map<String, String> rights = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        rights.put(
            file.getFileName().toString(),
            PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      }
    }
    return rights;
  }

  private static Issued issued(Path directory, String name) throws IOException {
    return Issued.of(text(directory, name + ".crt"), text(directory, name + ".key"));
  }

  @Test
  void a_security_directory_is_for_its_owner_alone() throws IOException {
    Path directory = init();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    assertThat(rights(directory))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "authority.crt", ALL,
                "authority.key", OWNER,
                "server.crt", ALL,
                "server.key", OWNER,
                "master.key", OWNER,
                "keys.json", OWNER,
                "admin.json", OWNER));
  }

  @Test
  void what_is_printed_says_what_each_file_is_and_shows_no_secret() throws IOException {
    Path directory = init("--name", "db1.example.org");
    JsonObject profile = JsonParser.parseString(text(directory, "admin.json")).getAsJsonObject();
    String secret = profile.getAsJsonObject("key").get("secret").getAsString();
    assertThat(out.toString())
        .contains(
            "authority.key  makes further certificates: keep it in a safe place",
            "no server needs it",
            "db1.example.org, localhost, 127.0.0.1, ::1",
            "--profile " + directory + "/admin.json")
        .doesNotContain(secret, text(directory, "master.key").strip(), "PRIVATE");
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        assertThat(Files.readString(file).contains(secret))
            .as(file.toString())
            .isEqualTo(file.endsWith("admin.json"));
      }
    }
  }

  @Test
  void the_administrators_key_is_sealed_with_the_master_key() throws Exception {
    Path directory = init("--name", "::1");
    String text = text(directory, "keys.json");
    JsonObject key = JsonParser.parseString(text).getAsJsonArray().get(0).getAsJsonObject();
    assertThat(key.keySet()).containsExactlyInAnyOrder("id", "principal", "sealed", "created");
    assertThat(key.get("principal").getAsString()).isEqualTo("admin");
    assertThat(Instant.ofEpochMilli(key.get("created").getAsLong()))
        .isBetween(Instant.now().minusSeconds(60), Instant.now());
    assertThat(text(directory, "master.key")).matches("[0-9a-f]{64}\n");
    MasterKey master = MasterKey.parse(text(directory, "master.key"), count -> Bytes.EMPTY);
    String id = key.get("id").getAsString();
    byte[] opened = master.open(key.getAsJsonArray("sealed").get(0).getAsString(), id);
    ClientConfig config = ClientConfig.of("profile:" + directory.resolve("admin.json"));
    assertThat(config.endpoints()).hasToString("[[::1]:7650]");
    assertThat(config.security().isTls()).isTrue();
    assertThat(config.security().key().orElseThrow().id()).isEqualTo(id);
    assertThat(config.security().key().orElseThrow().secret().utf8()).isEqualTo(opened);
    assertThat(new String(opened, StandardCharsets.UTF_8)).matches("[A-Za-z0-9_-]{43}");
  }

  @Test
  void json_says_until_when_and_for_whom() throws IOException {
    Path directory = init("--json", "--days", "3", "--name", "A.example");
    JsonObject summary = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(summary.get("directory").getAsString()).isEqualTo(directory.toString());
    assertThat(summary.getAsJsonArray("names").toString()).contains("\"a.example\",\"localhost\"");
    Instant end = issued(directory, "server").certificate().getNotAfter().toInstant();
    assertThat(summary.get("expiresMs").getAsLong()).isEqualTo(end.toEpochMilli());
    assertThat(Duration.between(Instant.now(), end)).isBetween(days(2), days(3));
    Instant last = issued(directory, "authority").certificate().getNotAfter().toInstant();
    assertThat(Duration.between(Instant.now(), last)).isGreaterThan(days(3_649));
  }

  private static Duration days(long days) {
    return Duration.ofDays(days);
  }

  @Test
  void nothing_is_written_over() throws IOException {
    Path directory = init();
    Map<String, String> before = Map.of("server.key", text(directory, "server.key"));
    assertThat(run("security", "init", "--dir", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is not empty; name one that is not there yet");
    assertThat(text(directory, "server.key")).isEqualTo(before.get("server.key"));
    Path file = Files.writeString(files.resolve("file"), "");
    assertThat(run("security", "init", "--dir", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is not a directory");
  }

  @Test
  void an_empty_directory_is_taken_and_closed_to_others() throws IOException {
    Path empty = Files.createDirectory(files.resolve("empty"));
    Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rwxrwxr-x"));
    assertThat(run("security", "init", "--dir", empty.toString())).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(empty)))
        .isEqualTo("rwx------");
  }

  @Test
  void a_directory_that_is_not_whole_goes_away_again() throws IOException {
    Path directory = files.resolve("part");
    try (NewDirectory made = NewDirectory.make(directory)) {
      made.writePrivate("a", "secret");
      assertThat(directory.resolve("a")).hasContent("secret");
    }
    assertThat(directory).doesNotExist();
    Path empty = Files.createDirectory(files.resolve("empty"));
    try (NewDirectory made = NewDirectory.make(empty)) {
      made.writePublic("a", "");
    }
    assertThat(empty).isEmptyDirectory();
  }

  @Test
  void another_node_gets_all_but_the_authoritys_key() throws IOException {
    Path directory = init();
    Path node = files.resolve("n2");
    assertThat(
            run(
                "security",
                "certificate",
                "--dir",
                directory.toString(),
                "--name",
                "n2.example",
                "--name",
                "10.0.0.2",
                "--out",
                node.toString()))
        .as(err::toString)
        .isZero();
    assertThat(rights(node))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "authority.crt", ALL,
                "server.crt", ALL,
                "server.key", OWNER,
                "master.key", OWNER,
                "keys.json", OWNER));
    for (String name : List.of("authority.crt", "master.key", "keys.json")) {
      assertThat(text(node, name)).isEqualTo(text(directory, name));
    }
    assertThat(text(node, "server.key")).isNotEqualTo(text(directory, "server.key"));
    assertThat(out.toString()).contains("n2.example, 10.0.0.2, localhost, 127.0.0.1, ::1; until ");
    Files.delete(directory.resolve("master.key"));
    Path third = files.resolve("n3");
    assertThat(
            run(
                "security",
                "certificate",
                "--dir",
                directory.toString(),
                "--name",
                "n3",
                "--out",
                third.toString()))
        .isZero();
    assertThat(out.toString()).contains("give it to the server as TUNNEL_MASTER_KEY");
    assertThat(third.resolve("master.key")).doesNotExist();
  }

  @Test
  void a_client_gets_a_certificate_and_a_profile() throws IOException {
    Path directory = init("--name", "db1.example.org");
    Path client = files.resolve("billing");
    assertThat(
            run(
                "security",
                "certificate",
                "--dir",
                directory.toString(),
                "--client",
                "billing",
                "--out",
                client.toString(),
                "--json"))
        .as(err::toString)
        .isZero();
    assertThat(rights(client))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("client.crt", ALL, "client.key", OWNER, "client.json", OWNER));
    assertThat(out.toString()).contains("\"subject\":\"CN\\u003dbilling\"");
    ClientConfig config = ClientConfig.of("profile:" + client.resolve("client.json"));
    assertThat(config.endpoints()).hasToString("[db1.example.org:7650]");
    assertThat(config.security().certificate()).isPresent();
    assertThat(config.security().key()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "init|Missing required option: '--dir=DIR'",
        "init --dir NEW --name h:7650|--name 'h:7650' is not the name of a host",
        "init --dir NEW --name 1.2.3.256|--name '1.2.3.256' is not the name of a host",
        "init --dir NEW --name 01.2.3.4|--name '01.2.3.4' is not the name of a host",
        "init --dir NEW --name ::1%eth0|--name '::1%eth0' is not the name of a host",
        "init --dir NEW --name :::|--name ':::' is not the name of a host",
        "init --dir NEW --name a..b|--name 'a..b' is not the name of a host",
        "init --dir NEW --name -a|--name '-a' is not the name of a host",
        "init --dir NEW --days 0|--days is 1 to 36500, not 0",
        "init --dir NEW --days 36501|--days is 1 to 36500, not 36501",
        "certificate --dir MADE --out NEW|give --name HOST for the certificate of a server, or",
        "certificate --dir MADE --out NEW --name a --client b|give --name HOST for the certificate",
        "certificate --dir MADE --out NEW --client a=b|--client 'a=b' is not 1 to 64 of A-Z",
        "certificate --dir MADE --out MADE --name a|is not empty",
        "certificate --dir NEW --out NEW --name a|there is no authority.crt in ",
        "certificate --dir MADE --out NEW --name a --days 3651|the authority ends on "
      })
  void what_cannot_be_is_refused_before_anything_is_made(String line, String message) {
    Path made = init();
    Path target = files.resolve("new");
    String whole = line.replace("MADE", made.toString()).replace("NEW", target.toString());
    assertThat(runLine("security " + whole)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(target).doesNotExist();
  }

  @Test
  void an_authority_without_its_key_makes_nothing() throws IOException {
    Path made = init();
    String[] line = {
      "security",
      "certificate",
      "--dir",
      made.toString(),
      "--client",
      "a",
      "--out",
      files.resolve("new").toString()
    };
    String key = text(made, "authority.key");
    Files.writeString(made.resolve("authority.key"), "-----BEGIN PRIVATE KEY-----\nMIIB\n");
    assertThat(run(line)).isEqualTo(1);
    assertThat(err.toString()).contains("are no authority: there is no -----BEGIN PRIVATE KEY");
    Files.writeString(made.resolve("authority.key"), key);
    Files.copy(made.resolve("authority.crt"), made.resolve("saved"));
    Files.writeString(made.resolve("authority.crt"), text(made, "server.crt"));
    assertThat(run(line)).isEqualTo(1);
    assertThat(err.toString()).contains("it is not the certificate of an authority");
    Files.delete(made.resolve("authority.key"));
    assertThat(run(line)).isEqualTo(2);
    assertThat(err.toString()).contains("there is no authority.key in ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"init", "certificate"})
  void help_has_examples(String job) {
    assertThat(runLine("security " + job + " --help")).isZero();
    assertThat(out.toString())
        .contains("Example", "  tunnel security " + job, "Exit codes:", "--json", "--verbose");
  }

  @Test
  void a_certificate_has_at_most_so_many_names() {
    String[] line = {"security", "init", "--dir", files.resolve("most").toString()};
    Stream<String> names =
        Stream.iterate(1, i -> i <= HostName.NAMES_MAX, i -> i + 1)
            .flatMap(i -> Stream.of("--name", "n" + i));
    String[] most = Stream.concat(Stream.of(line), names).toArray(String[]::new);
    String[] more = Stream.concat(Stream.of(most), Stream.of("--name", "x")).toArray(String[]::new);
    assertThat(run(more)).isEqualTo(2);
    assertThat(err.toString()).contains("--name can be given 64 times, not 65");
    assertThat(run(most)).isZero();
  }
}
