package io.tunnel.it.process;

import java.time.Duration;
import java.util.List;

/**
 * How a {@link WorkerProcess} works.
 *
 * @param rowsFree so many rows are processed at once; then every callback waits for the test
 * @param creditBytes what is delivered ahead to a channel
 */
public record WorkerSetup(
    String tag, Duration checkpointInterval, int leaseS, long rowsFree, int creditBytes) {

  /** One that nothing holds up. */
  public static WorkerSetup of(String tag, Duration checkpointInterval) {
    return new WorkerSetup(tag, checkpointInterval, 30, Long.MAX_VALUE, 1 << 20);
  }

  public WorkerSetup withLease(int seconds) {
    return new WorkerSetup(tag, checkpointInterval, seconds, rowsFree, creditBytes);
  }

  public WorkerSetup withRowsFree(long rows) {
    return new WorkerSetup(tag, checkpointInterval, leaseS, rows, creditBytes);
  }

  public WorkerSetup withCredit(int bytes) {
    return new WorkerSetup(tag, checkpointInterval, leaseS, rowsFree, bytes);
  }

  public List<String> toArguments() {
    return List.of(
        tag, "" + checkpointInterval.toMillis(), "" + leaseS, "" + rowsFree, "" + creditBytes);
  }

  static WorkerSetup parse(List<String> arguments) {
    return new WorkerSetup(
        arguments.get(0),
        Duration.ofMillis(Long.parseLong(arguments.get(1))),
        Integer.parseInt(arguments.get(2)),
        Long.parseLong(arguments.get(3)),
        Integer.parseInt(arguments.get(4)));
  }
}
