package io.tunnel.bench.flink.recovery;

import io.tunnel.bench.flink.Reader;
import java.util.Objects;

/**
 * What a {@link RecoveryMain} is to measure.
 *
 * @param reader whose source the job has
 * @param endpoint of our server or of the broker
 * @param table empty; the process writes to it what the job reads
 * @param shape of table and job
 * @param times how often
 * @param directory where savepoints go
 */
public record RecoveryOrder(
    Reader reader, String endpoint, String table, Shape shape, Times times, String directory) {

  /**
   * How much, and how often.
   *
   * @param partitions of the table
   * @param parallelism of the job
   * @param rowsPerSecond written
   * @param checkpointMs between two checkpoints
   * @param lagMs below which a partition is caught up
   */
  public record Shape(
      int partitions, int parallelism, int rowsPerSecond, int checkpointMs, long lagMs) {}

  /**
   * Repetitions.
   *
   * @param failures of a task
   * @param savepoints that the job is stopped with and started from
   */
  public record Times(int failures, int savepoints) {}

  public RecoveryOrder {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(shape, "shape");
    Objects.requireNonNull(times, "times");
    Objects.requireNonNull(directory, "directory");
    if (reader != Reader.TUNNEL && reader != Reader.KAFKA) {
      throw new IllegalArgumentException("a job recovers, not " + reader);
    }
  }
}
