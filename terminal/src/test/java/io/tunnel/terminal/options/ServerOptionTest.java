package io.tunnel.terminal.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ServerOptionTest {

  private final Map<String, String> environment = new HashMap<>();

  private String endpoint(String... arguments) {
    ServerOption option = new ServerOption(environment);
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(option)).parseArgs(arguments);
    return option.endpoint();
  }

  @Test
  void without_a_word_it_is_this_machine() {
    assertThat(endpoint()).isEqualTo("127.0.0.1:7650");
    environment.put("TUNNEL_SERVER", "");
    environment.put("TUNNEL_PROFILE", "");
    environment.put("TUNNEL_SECRET", "alone it means nothing");
    assertThat(endpoint()).isEqualTo("127.0.0.1:7650");
  }

  @Test
  void the_command_line_wins_over_the_environment() {
    environment.put("TUNNEL_SERVER", "a,b:1");
    assertThat(endpoint()).isEqualTo("a,b:1");
    assertThat(endpoint("--server", "c")).isEqualTo("c");
    environment.put("TUNNEL_PROFILE", "prod");
    assertThat(endpoint()).isEqualTo("profile:prod");
    assertThat(endpoint("--server", "c")).isEqualTo("profile:prod@c");
    assertThat(endpoint("--profile", "test")).isEqualTo("profile:test");
    assertThat(endpoint("--profile", "./x.json", "--server", "c:2,d"))
        .isEqualTo("profile:./x.json@c:2,d");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TUNNEL_AUTHORITY", "TUNNEL_KEY_ID", "TUNNEL_CERTIFICATE", "TUNNEL_TLS"})
  void variables_of_security_are_a_profile_of_their_own(String name) {
    environment.put(name, "x");
    assertThat(endpoint()).isEqualTo("profile:env@127.0.0.1:7650");
    environment.put("TUNNEL_SERVER", "a");
    assertThat(endpoint()).isEqualTo("profile:env@a");
    assertThat(endpoint("--server", "b")).isEqualTo("profile:env@b");
    assertThat(endpoint("--profile", "prod")).isEqualTo("profile:prod");
  }

  @ParameterizedTest
  @CsvSource({
    "prod, true",
    "A.b_c-9, true",
    "x.json, true",
    "/a@b/c, true",
    "a@b.json, true",
    "prod@h, false",
    "a b, false",
    "./a@b, false",
    "'', false"
  })
  void a_profile_is_a_name_or_a_file(String profile, boolean isOne) {
    Optional<String> given = Optional.of(profile);
    if (isOne) {
      assertThat(ServerOption.endpoint(Optional.empty(), given, Map.of()))
          .isEqualTo("profile:" + profile);
      return;
    }
    assertThatThrownBy(() -> ServerOption.endpoint(Optional.empty(), given, Map.of()))
        .isInstanceOfSatisfying(
            CommandFailure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageStartingWith("--profile '" + profile + "' is not a profile: a name of 1 to 64");
  }

  @Test
  void a_name_has_at_most_so_many_characters() {
    String longest = "n".repeat(64);
    assertThat(endpoint("--profile", longest)).isEqualTo("profile:" + longest);
    assertThatThrownBy(() -> endpoint("--profile", longest + "n"))
        .isInstanceOf(CommandFailure.class);
  }

  @Test
  void what_is_wrong_is_named_as_it_was_given() {
    environment.put("TUNNEL_PROFILE", "a b");
    assertThatThrownBy(this::endpoint).hasMessageStartingWith("TUNNEL_PROFILE 'a b'");
    environment.put("TUNNEL_PROFILE", "");
    environment.put("TUNNEL_SERVER", "a:x");
    assertThatThrownBy(this::endpoint).hasMessageStartingWith("TUNNEL_SERVER 'a:x' is not HOST");
    assertThatThrownBy(() -> endpoint("--server", "b:")).hasMessageStartingWith("--server 'b:'");
  }
}
