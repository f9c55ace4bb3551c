package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.log.Logging;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The reference of the tools is made from their help, so no option is missing or explained twice.
 */
class ToolsReferenceTest {

  private static final Path REVIEWED = Path.of("../../docs/reference/tools-reference.md");

  /**
   * As the launcher prepares the commands: the server logs, and a run adds what all commands have.
   */
  private static CommandLine prepared() {
    CommandLine root = TunnelCommand.commandLine(CommandLine.defaultFactory());
    Logging.equip(root.getSubcommands().get("server"));
    root.setOut(new PrintWriter(new StringWriter()));
    assertThat(CommandRunner.run(root, Diagnosis.standard(), "--help")).isZero();
    return root;
  }

  @Test
  void the_reference_is_the_help_of_the_commands() throws IOException {
    String now = ToolsReference.of(prepared());
    Path found = Path.of("target/tools-reference.md").toAbsolutePath().normalize();
    Files.createDirectories(found.getParent());
    Files.writeString(found, now);
    assertThat(Files.exists(REVIEWED) ? Files.readString(REVIEWED) : "")
        .as("the help has changed; if it is meant: cp %s docs/reference/tools-reference.md", found)
        .isEqualTo(now);
  }

  @Test
  void the_reference_has_each_option_of_a_command_and_explains_common_options_once() {
    String now = ToolsReference.of(prepared());
    assertThat(now)
        .contains(
            "--log-level=LEVEL", "\n### tunnel torture\n", "\n#### tunnel security key create\n");
    assertThat(now.split("\n {6}--server=", -1)).hasSizeLessThan(6);
    assertThat(now.split("Show this help message and exit", -1)).hasSize(2);
    assertThat(now.split("the job failed, or the server refused it", -1)).hasSize(2);
    assertThat(now.substring(now.indexOf("### tunnel tables put")))
        .contains("--in-doubt-file=FILE", "--if-absent", "tunnel tables put --table users --key");
  }
}
