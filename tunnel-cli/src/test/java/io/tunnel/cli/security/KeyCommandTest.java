package io.tunnel.cli.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.Secret;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.KeyDetails;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The secret of a key is said once: it has a place before it is asked for. */
class KeyCommandTest {

  private static final IssuedKey ISSUED =
      new IssuedKey(new KeyDetails("tk1", "billing", 2, Instant.EPOCH), Secret.of("s3cret"));

  @TempDir private Path directory;
  private final List<String> requests = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ClientConfig config = ClientConfig.of("127.0.0.1:1");

  /** Has a key issued by a server that a test plays. */
  @Command(name = "issue")
  static final class PlayedIssue extends KeyCommand.Issue {

    private final Supplier<IssuedKey> server;
    private final ClientConfig config;

    PlayedIssue(Supplier<IssuedKey> server, ClientConfig config) {
      this.server = server;
      this.config = config;
    }

    @Override
    protected void run(SecurityClient client, ClientConfig unused) throws Exception {
      issue(server, config, "rotated key");
    }
  }

  private int run(Supplier<IssuedKey> server, String... options) {
    Supplier<IssuedKey> counted =
        () -> {
          requests.add("asked");
          return server.get();
        };
    List<String> line = new ArrayList<>(List.of("issue", "--out", profile().toString()));
    line.addAll(List.of(options));
    return run(
        security().addSubcommand(new PlayedIssue(counted, config)), line.toArray(String[]::new));
  }

  private CommandLine security() {
    return new CommandLine(new SecurityCommand());
  }

  private int run(CommandLine root, String... line) {
    root.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(root, Diagnosis.standard(), line);
  }

  private Path profile() {
    return directory.resolve("billing.json");
  }

  @Test
  void a_profile_is_there_before_the_server_is_asked_and_is_its_owners_alone() throws IOException {
    int code =
        run(
            () -> {
              assertThat(profile()).isEmptyFile();
              return ISSUED;
            });
    assertThat(code).as(err::toString).isZero();
    assertThat(out.toString()).contains("rotated key tk1 of billing, in the profile " + profile());
    assertThat(out.toString()).doesNotContain("s3cret");
    assertThat(profile()).content().contains("\"secret\": \"s3cret\"", "127.0.0.1:1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(profile())))
        .isEqualTo("rw-------");
  }

  @Test
  void a_file_that_is_there_is_left_alone_and_no_server_is_asked() throws IOException {
    Files.writeString(profile(), "of somebody");
    assertThat(run(() -> ISSUED)).isEqualTo(74);
    assertThat(err.toString()).contains("exists already");
    assertThat(requests).isEmpty();
    assertThat(profile()).hasContent("of somebody");
  }

  @Test
  void an_authority_that_cannot_be_read_is_said_before_a_server_is_asked() {
    Pem missing = Pem.file(directory.resolve("no.crt"));
    config = config.withSecurity(ClientSecurity.tls().withAuthority(missing));
    assertThat(run(() -> ISSUED)).isEqualTo(74);
    assertThat(err.toString()).contains("no.crt");
    assertThat(requests).isEmpty();
    assertThat(profile()).doesNotExist();
  }

  @Test
  void the_end_of_a_rotation_has_no_secret_for_a_profile() {
    String file = profile().toString();
    assertThat(run(security(), "key", "rotate", "tk1", "--finish", "--out", file)).isEqualTo(2);
    assertThat(err.toString()).contains("--finish issues no secret");
    assertThat(profile()).doesNotExist();
  }

  @Test
  void a_request_that_fails_leaves_no_file() {
    int code =
        run(
            () -> {
              throw CommandFailure.failed("there is no key tk1");
            });
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("there is no key tk1");
    assertThat(profile()).doesNotExist();
  }

  @Test
  void a_secret_that_cannot_be_written_is_printed() {
    Supplier<IssuedKey> slow =
        () -> {
          try {
            Files.deleteIfExists(profile());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return ISSUED;
        };
    assertThat(run(slow)).isEqualTo(74);
    assertThat(out.toString()).contains("rotated key tk1 of billing", "secret s3cret");
    assertThat(err.toString()).contains("the secret was printed instead", profile().toString());
    assertThat(profile()).doesNotExist();
    assertThat(run(slow, "--json")).isEqualTo(74);
    assertThat(out.toString()).contains("\"secret\":\"s3cret\"");
  }
}
