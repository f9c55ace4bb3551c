package io.tunnel.perf;

import io.tunnel.model.StreamStart;
import java.util.Optional;

/**
 * Computes the rates of a table outside of the workers of this process. {@link
 * java.util.ServiceLoader} finds it, so that only a run with this engine needs its libraries.
 */
public interface PerfEngine {

  /** What {@code --engine} calls it. */
  String name();

  /** Starts to read. */
  PerfJob start(Task task);

  /**
   * What is read.
   *
   * @param endpoint of the service
   * @param table whose changes are counted
   * @param tunnel whose checkpoints say where to begin, and follow what was counted
   */
  record Place(String endpoint, String table, Optional<String> tunnel) {}

  /**
   * What is computed.
   *
   * @param place what is read
   * @param start where to begin without a tunnel
   * @param parallelism how many readers share the partitions
   * @param intervalMs a window of commit times
   * @param cost what is done besides counting
   */
  record Task(
      Place place, StreamStart start, int parallelism, long intervalMs, RecordWork.Cost cost) {}
}
