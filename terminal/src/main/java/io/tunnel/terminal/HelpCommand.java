package io.tunnel.terminal;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code help}, below every command that has subcommands. picocli's own looks one level deep. */
@Command(
    name = HelpCommand.NAME,
    description = "Show the help of a command: help tunnels seek.",
    helpCommand = true)
final class HelpCommand implements Runnable {

  static final String NAME = "help";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", description = "The command, and what is below it.")
  private List<String> path = new ArrayList<>();

  /** For picocli. */
  HelpCommand() {}

  @Override
  public void run() {
    CommandLine command = spec.commandLine().getParent();
    for (String name : path) {
      CommandLine below = command.getSubcommands().get(name);
      if (below == null) {
        throw new ParameterException(
            command, "there is no command '" + name + "' to show the help of");
      }
      command = below;
    }
    command.usage(spec.root().commandLine().getOut());
  }
}
