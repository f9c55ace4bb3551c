package io.tunnel.programs.demo;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * How a demo runs.
 *
 * @param table the table that it makes
 * @param servers what it runs on
 */
record DemoPlan(String table, int partitions, int workers, Servers servers) {

  /**
   * What it runs on.
   *
   * @param running the running server to use; empty to start what is needed
   * @param nodes of a cluster to start; 0 for one server with storage of its own
   * @param data where what is started keeps its data; empty for a temporary directory
   * @param now from when on certificates are good
   * @param isSecured whether what is started speaks TLS and asks clients for a key
   * @param afterwards what happens to it when the proof is over
   */
  record Servers(
      Optional<String> running,
      int nodes,
      Optional<Path> data,
      Instant now,
      boolean isSecured,
      Afterwards afterwards) {}

  /** What happens to servers, data and table when the proof is over. */
  enum Afterwards {
    /** All of it goes. */
    REMOVED,
    /** Data and table stay. */
    KEPT,
    /** Servers that were started run on with a load until an interrupt; then as KEPT. */
    RUNNING;

    boolean isKeeping() {
      return this != REMOVED;
    }
  }
}
