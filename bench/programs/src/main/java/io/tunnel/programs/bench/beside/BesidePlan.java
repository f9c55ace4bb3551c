package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Look;
import java.util.List;
import java.util.Set;

/**
 * What is measured side by side.
 *
 * @param rows of a round
 * @param rounds of each peer, whose median counts
 * @param parts which kinds of rounds
 * @param looks what readers do with rows
 * @param latency how latencies are measured
 * @param batches how writers make batches
 */
public record BesidePlan(
    long rows,
    int rounds,
    Set<Part> parts,
    List<Look> looks,
    LatencyPlan latency,
    BatchSettings batches) {

  /** Takes copies. */
  public BesidePlan {
    parts = Set.copyOf(parts);
    looks = List.copyOf(looks);
  }

  /**
   * How latencies are measured.
   *
   * @param rowsPerSecond under load; 0 for half of what the slower one writes
   * @param seconds under load
   * @param idleRows one every 10 ms
   */
  public record LatencyPlan(long rowsPerSecond, int seconds, int idleRows) {}
}
