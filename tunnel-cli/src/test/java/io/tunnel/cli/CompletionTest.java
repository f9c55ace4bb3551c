package io.tunnel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a shell offers that has read what {@code tunnel completion} prints. */
class CompletionTest extends CommandLineTest {

  private static final Path BASH = Path.of("/bin/bash");

  @TempDir Path directory;

  /** What bash, having read the script, offers when Tab is pressed behind these words. */
  private List<String> offered(String... words) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(BASH), "needs bash");
    assertThat(runLine("completion bash")).isZero();
    Path script = Files.writeString(directory.resolve("completion.bash"), out.toString());
    String test =
        """
        compopt() { :; } # bash has it only while it completes by itself
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        "$(complete -p tunnel | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
        printf '%s\\n' "${COMPREPLY[@]}"
        """;
    String[] command = new String[words.length + 5];
    List<String> start = List.of(BASH.toString(), "-c", test, "bash", script.toString());
    System.arraycopy(start.toArray(new String[0]), 0, command, 0, 5);
    System.arraycopy(words, 0, command, 5, words.length);
    Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(bash.getInputStream().readAllBytes(), UTF_8);
    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(bash.exitValue()).as(text).isZero();
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  @Test
  void bash_completes_commands_their_options_and_values() throws Exception {
    assertThat(offered("tunnel", "tun")).containsExactly("tunnels");
    assertThat(offered("tunnel", "")).contains("server", "stress", "perf", "tables", "help");
    assertThat(offered("./tunnel", "tunnels", "se")).containsExactly("seek");
    assertThat(offered("tunnel", "tunnels", "seek", "--dr")).containsExactly("--dry-run");
    assertThat(offered("tunnel", "tables", "alter", "--durability", ""))
        .containsExactlyInAnyOrder("FSYNC", "OS");
    assertThat(offered("tunnel", "completion", "z")).containsExactly("zsh");
  }

  @Test
  void bash_completes_the_tables_of_the_server_that_is_named() throws Exception {
    Path tunnel = directory.resolve("tunnel");
    Files.writeString(
        tunnel,
        """
        #!/bin/bash
        [ "$1 $2" = "tables list" ] && printf '%s\\n' orders order-lines users "seen:${*:3}"
        """);
    Files.setPosixFilePermissions(tunnel, PosixFilePermissions.fromString("rwxr-xr-x"));
    String program = tunnel.toString();
    assertThat(offered(program, "tables", "scan", "--table", "or"))
        .containsExactlyInAnyOrder("orders", "order-lines");
    assertThat(offered(program, "tables", "scan", "--table", "=", "us")).containsExactly("users");
    assertThat(offered(program, "tables", "scan", "--table", "=")).contains("orders", "users");
    assertThat(offered(program, "tail", "us")).containsExactly("users");
    assertThat(offered(program, "tail", "--fol")).containsExactly("--follow");
    assertThat(offered(program, "tables", "get", "--server", "h:1", "--table", "seen"))
        .containsExactly("seen:--server");
  }

  @Test
  void fish_has_every_command_and_option_with_its_words() {
    assertThat(runLine("completion fish")).isZero();
    assertThat(outLines())
        .contains("complete -c tunnel -f")
        .anyMatch(
            line ->
                line.startsWith("complete -c tunnel -n '__tunnel_at \"tunnels\"' -a seek -d 'Move"))
        .anyMatch(
            line ->
                line.startsWith(
                    "complete -c tunnel -n '__tunnel_at \"tables alter\"' -l durability -x -a"
                        + " 'FSYNC OS'"))
        .anyMatch(
            line ->
                line.startsWith(
                    "complete -c tunnel -n '__tunnel_at \"tables scan\"' -l table -x -a"
                        + " '(__tunnel_tables)'"))
        .anyMatch(
            line ->
                line.startsWith("complete -c tunnel -n '__tunnel_at \"server\"' -l data -r -F -d "))
        .anyMatch(
            line -> line.startsWith("set -g __tunnel_commands ") && line.contains("'tunnels seek'"))
        .noneMatch(line -> line.contains("${") || line.contains("%n"));
  }

  @Test
  void zsh_reads_the_same_script_through_its_reader_of_bash_completions() {
    assertThat(runLine("completion zsh")).isZero();
    assertThat(out.toString()).contains("bashcompinit").contains("_complete_tunnel");
  }

  @ParameterizedTest
  @ValueSource(strings = {"completion", "completion tcsh"})
  void another_shell_is_refused_with_those_there_are(String line) {
    assertThat(runLine(line)).isEqualTo(2);
    assertThat(err.toString())
        .contains("bash", "zsh", "fish")
        .contains("Try 'tunnel completion --help'");
  }
}
