package io.tunnel.it.process;

import java.time.Duration;
import java.util.List;

/**
 * What a {@link WriterProcess} writes, and how patiently.
 *
 * @param seed its changes follow from it
 * @param rowsMax after so many it ends by itself
 * @param rowsPerSecond at most; 0 for as fast as they are taken
 * @param requestDeadline rows that are not answered within it are in doubt
 */
public record WriterSetup(long seed, long rowsMax, long rowsPerSecond, Duration requestDeadline) {

  /** As fast as rows are taken. */
  static WriterSetup of(long seed, long rowsMax) {
    return new WriterSetup(seed, rowsMax, 0, Duration.ofSeconds(30));
  }

  /** Without end, at a pace that leaves a small machine time for others. */
  public static WriterSetup paced(long seed, long rowsPerSecond) {
    return new WriterSetup(seed, Long.MAX_VALUE, rowsPerSecond, Duration.ofSeconds(30));
  }

  public WriterSetup withRequestDeadline(Duration deadline) {
    return new WriterSetup(seed, rowsMax, rowsPerSecond, deadline);
  }

  public List<String> toArguments() {
    return List.of("" + seed, "" + rowsMax, "" + rowsPerSecond, "" + requestDeadline.toMillis());
  }

  static WriterSetup parse(List<String> arguments) {
    return new WriterSetup(
        Long.parseLong(arguments.get(0)),
        Long.parseLong(arguments.get(1)),
        Long.parseLong(arguments.get(2)),
        Duration.ofMillis(Long.parseLong(arguments.get(3))));
  }
}
