package io.tunnel.programs.bench.peer;

import java.util.OptionalLong;

/** A service under test, with its server in a process of its own. */
public interface Peer {

  /** What it is called in results. */
  String name();

  /** Creates a table, or whatever holds rows, of {@code partitions} that fill evenly. */
  void create(String table, int partitions) throws Exception;

  /** Drops it with all rows. */
  void drop(String table) throws Exception;

  /** A writer for any number of threads. */
  RowWriter openWriter(String table);

  /** A reader of everything from the earliest change on; it does nothing before its start. */
  RowReader openReader(String table, Look look, Arrivals arrivals);

  /** CPU time of the servers so far; empty when this process cannot read it. */
  OptionalLong serverCpuNanos();

  /** CPU time of the log so far, when the log is a separate process. */
  default long logCpuNanos() {
    return 0;
  }

  /** How many processes these are. */
  default int processes() {
    return 1;
  }
}
