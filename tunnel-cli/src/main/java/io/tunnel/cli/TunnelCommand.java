package io.tunnel.cli;

import io.tunnel.perf.PerfCommand;
import io.tunnel.server.ServerCommand;
import io.tunnel.stress.StressCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the {@code ./tunnel} command; it does nothing itself, its subcommands do. */
@Command(
    name = "tunnel",
    version = "tunnel 0.1.0-SNAPSHOT",
    mixinStandardHelpOptions = true,
    description = "Tables whose changes can be consumed in order, by tunnels.",
    subcommands = {ServerCommand.class, DemoCommand.class, StressCommand.class, PerfCommand.class})
public final class TunnelCommand implements Runnable {

  @Spec private CommandSpec spec;

  private TunnelCommand() {}

  /** Runs the program and ends the process with the exit code of its subcommand. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new TunnelCommand()).execute(args));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which one? Name a subcommand.");
  }
}
