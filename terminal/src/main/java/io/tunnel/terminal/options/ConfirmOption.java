package io.tunnel.terminal.options;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Prompt;
import picocli.CommandLine.Option;

/** The option {@code --yes}, as a mixin of every command that destroys or moves something. */
public final class ConfirmOption {

  @Option(names = "--yes", description = "Really do it; without it the terminal is asked, if any.")
  private boolean yes;

  private final Prompt prompt;

  /** For picocli: asks the person at the terminal. */
  public ConfirmOption() {
    this(Prompt.terminal());
  }

  /** Asks by {@code prompt}. */
  public ConfirmOption(Prompt prompt) {
    this.prompt = prompt;
  }

  /** Whether it was confirmed on the command line. */
  public boolean isGiven() {
    return yes;
  }

  /**
   * Returns when it is to be done: confirmed on the command line, or by the person at the terminal.
   *
   * @param isJson whether the answer is for a program, which is never asked: it would wait for ever
   * @throws CommandFailure usage error, saying that nothing was done
   */
  public void require(boolean isJson, String nothingDone) {
    if (!yes && (isJson || !prompt.confirms("Do it?"))) {
      throw CommandFailure.usage(nothingDone + ": add --yes to do it");
    }
  }
}
