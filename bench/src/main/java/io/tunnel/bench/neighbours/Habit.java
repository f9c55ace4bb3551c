package io.tunnel.bench.neighbours;

import java.util.Locale;

/** What a neighbour does all the time. */
enum Habit {
  /** Computes, and asks the server for nothing: what a processor that never sleeps does alone. */
  COMPUTATION,
  /** Consumes two million rows from the first on, again and again. */
  BACKLOG,
  /** Has workers who take a second for each call, with the same rows waiting for them. */
  SLOW_READERS,
  /** Reads all rows of its table, in four threads. */
  SCANS,
  /** Has a thousand tunnels on twenty tables, each with a worker, and writes 200 rows/s to them. */
  TUNNELS;

  /** What it is called on a command line. */
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
