package io.tunnel.terminal;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code version}, as the option {@code --version} of every command. */
@Command(
    name = "version",
    mixinStandardHelpOptions = true,
    description = "Print the version of these programs, and the Java that they run on.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel version")
public final class VersionCommand implements Runnable {

  @Spec private CommandSpec spec;

  /** For picocli. */
  public VersionCommand() {}

  @Override
  public void run() {
    spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
    spec.commandLine()
        .getOut()
        .println("Java " + Runtime.version() + ", " + System.getProperty("java.home"));
  }
}
