package io.tunnel.terminal;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that does one job; {@link #call} returns one of the {@link ExitCode}s. */
public abstract class Job implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** For subclasses. */
  protected Job() {}

  /** The command as it stands in the command line: its name, its parent, its options. */
  protected final CommandSpec spec() {
    return spec;
  }

  /** Where the answer goes. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Where remarks and progress go. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
