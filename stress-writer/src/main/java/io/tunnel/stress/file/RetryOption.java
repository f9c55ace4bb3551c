package io.tunnel.stress.file;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.terminal.options.DurationConverter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The option {@code --write-retry}. */
public final class RetryOption {

  @Option(
      names = "--write-retry",
      paramLabel = "TIME",
      converter = DurationConverter.OrNone.class,
      defaultValue = "120s",
      description =
          "How long rows are sent again that a server refuses for the moment, that cannot reach one,"
              + " or whose answer is lost; then they are reported as never sent, or as in doubt"
              + " (default: ${DEFAULT-VALUE}).")
  private Duration time;

  /** For picocli. */
  public RetryOption() {}

  /** A client of that service whose rows are sent again for so long. */
  public ClientConfig client(String endpoint) {
    return ClientConfig.of(endpoint).withWriteRetryDeadline(time);
  }
}
