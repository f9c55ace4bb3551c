package io.tunnel.terminal;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups subcommands: without a subcommand it lists them. */
public abstract class CommandGroup implements Runnable {

  @Spec private CommandSpec spec;

  /** For subclasses. */
  protected CommandGroup() {}

  @Override
  public final void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }
}
