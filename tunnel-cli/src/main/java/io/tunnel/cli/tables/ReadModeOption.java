package io.tunnel.cli.tables;

import io.tunnel.sdk.ReadMode;
import picocli.CommandLine.Option;

/** How sure a read is to see what others were told. */
final class ReadModeOption {

  @Option(
      names = "--strict",
      description =
          "In a cluster: ask the log first, so that the answer includes every earlier write.")
  private boolean isStrict;

  /** For picocli. */
  ReadModeOption() {}

  ReadMode mode() {
    return isStrict ? ReadMode.STRICT : ReadMode.BOUNDED;
  }
}
