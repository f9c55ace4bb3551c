package io.tunnel.bench.peers;

import io.tunnel.stress.LoadClock;

/** Rows a second from the start of a reader until it has seen everything that is in a table. */
final class ReadTest {

  private final long secondsMax;
  private final LoadClock clock;

  ReadTest(long secondsMax, LoadClock clock) {
    this.secondsMax = secondsMax;
    this.clock = clock;
  }

  /**
   * Reads a table.
   *
   * @param amounts what the integer attributes of all rows add up to
   */
  Figures run(Peer peer, String table, Look look, long rows, long amounts) throws Exception {
    ArrivalCount arrivals = new ArrivalCount(rows, clock::nanos);
    Figures figures = new Figures();
    try (RowReader reader = peer.openReader(table, look, arrivals)) {
      CpuTimes cpu = new CpuTimes(peer);
      long startNanos = clock.nanos();
      reader.start();
      long endNanos = arrivals.awaitNanos(reader, secondsMax);
      figures.put("rows/s", rows * 1e9 / (endNanos - startNanos));
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
      throw new IllegalStateException(
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
