package io.tunnel.programs.bench.peer;

import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;

/**
 * Rows a second from the start of a reader until it has seen everything that is in a table, and of
 * that the start-up until its first rows, and the steady part after a tenth of them.
 */
public final class ReadRound {

  private final long secondsMax;
  private final Progress progress;
  private final LoadClock clock;

  /** Rounds of so many seconds at most, which tell {@code progress} how far they are. */
  public ReadRound(long secondsMax, Progress progress, LoadClock clock) {
    this.progress = progress;
    this.secondsMax = secondsMax;
    this.clock = clock;
  }

  /**
   * Reads a table.
   *
   * @param amounts what the integer attributes of all rows add up to
   */
  public Figures run(Peer peer, String table, Look look, long rows, long amounts) throws Exception {
    ArrivalCount arrivals = new ArrivalCount(rows, clock);
    Figures figures = new Figures();
    Progress.Watch watch = progress.watch("read", rows, arrivals::rows);
    try (watch;
        RowReader reader = peer.openReader(table, look, arrivals)) {
      CpuTimes cpu = new CpuTimes(peer);
      long startNanos = clock.nanos();
      reader.start();
      long endNanos = arrivals.awaitNanos(reader, secondsMax);
      figures.put("rows/s", rows * 1e9 / (endNanos - startNanos));
      figures.put("steady rows/s", arrivals.steadyRowsPerSecond());
      figures.put("start-up ms", (arrivals.firstNanos() - startNanos) / 1e6);
      figures.put("client CPU us/row", cpu.clientMicrosPer(rows));
      figures.put("server CPU us/row", cpu.serverMicrosPer(rows));
      figures.put("log CPU us/row", cpu.logMicrosPer(rows));
    }
    require(arrivals, look, rows, amounts);
    return figures;
  }

  private static void require(ArrivalCount arrivals, Look look, long rows, long amounts) {
    boolean isLooking = look != Look.COUNT;
    if (arrivals.rows() != rows
        || arrivals.amounts() != (isLooking ? amounts : 0)
        || isLooking == (arrivals.digest() == 0)) {
      throw CommandFailure.failed(
          "not what was written: "
              + arrivals.rows()
              + " rows, amounts "
              + arrivals.amounts()
              + ", expected "
              + rows
              + " and "
              + amounts);
    }
  }
}
