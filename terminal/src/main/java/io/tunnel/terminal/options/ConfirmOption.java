package io.tunnel.terminal.options;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Prompt;
import picocli.CommandLine.Option;

/** The option {@code --yes}, as a mixin of every command that destroys or moves something. */
public final class ConfirmOption {

  @Option(names = "--yes", description = "Really do it; without it the terminal is asked, if any.")
  private boolean yes;

  /** For picocli. */
  public ConfirmOption() {}

  /** Whether it was confirmed on the command line. */
  public boolean isGiven() {
    return yes;
  }

  /**
   * Returns when it is to be done: confirmed on the command line, or by the person at the terminal.
   *
   * @param prompt asks that person; a program is never asked, because it would wait for ever
   * @param isJson whether a program wants the answer
   * @throws CommandFailure usage error, saying that nothing was done
   */
  public void require(Prompt prompt, boolean isJson, String nothingDone) {
    if (!yes && (isJson || !prompt.confirms("Do it?"))) {
      throw CommandFailure.usage(nothingDone + ": add --yes to do it");
    }
  }
}
