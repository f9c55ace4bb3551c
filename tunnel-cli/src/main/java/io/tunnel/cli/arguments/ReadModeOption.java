package io.tunnel.cli.arguments;

import io.tunnel.sdk.ReadMode;
import picocli.CommandLine.Option;

/** How sure a read is to see what others were told. */
public final class ReadModeOption {

  @Option(
      names = "--strict",
      description =
          "In a cluster: ask the log first, so that the answer includes every earlier write.")
  private boolean isStrict;

  /** For picocli. */
  ReadModeOption() {}

  public ReadMode mode() {
    return isStrict ? ReadMode.STRICT : ReadMode.BOUNDED;
  }
}
