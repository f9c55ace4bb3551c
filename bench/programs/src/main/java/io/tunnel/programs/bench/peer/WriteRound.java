package io.tunnel.programs.bench.peer;

import io.tunnel.stress.LoadClock;
import java.util.List;

/**
 * Rows a second until the last one is acknowledged, into a new table each round. A server's CPU
 * time counts until it has settled: what it put off belongs to the rows too.
 */
public final class WriteRound {

  /** The figure of rows a second. */
  public static final String RATE = "rows/s";

  private final RowLoad load;
  private final int partitions;
  private final LoadClock clock;

  /** Rounds of {@code load} into tables of {@code partitions} partitions. */
  public WriteRound(RowLoad load, int partitions, LoadClock clock) {
    this.load = load;
    this.partitions = partitions;
    this.clock = clock;
  }

  /** Makes the table, writes the rows and drops the table. */
  public Figures run(Peer peer, String table, long rows) throws Exception {
    peer.create(table, partitions);
    CpuTimes.settle(List.of(peer), clock); // a new topic has no leaders for a moment
    CpuTimes cpu = new CpuTimes(peer);
    Figures figures = new Figures();
    try (RowWriter writer = peer.openWriter(table)) {
      long startNanos = clock.nanos();
      var unused = load.write(writer, rows);
      figures.put(RATE, rows * 1e9 / (clock.nanos() - startNanos));
      figures.put("client CPU us/row", cpu.clientMicrosPer(rows));
    }
    CpuTimes.settle(List.of(peer), clock);
    figures.put("server CPU us/row", cpu.serverMicrosPer(rows));
    figures.put("log CPU us/row", cpu.logMicrosPer(rows));
    peer.drop(table);
    CpuTimes.settle(List.of(peer), clock);
    return figures;
  }
}
