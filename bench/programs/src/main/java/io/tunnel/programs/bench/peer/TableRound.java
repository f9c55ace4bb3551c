package io.tunnel.programs.bench.peer;

import io.tunnel.stress.LoadClock;
import java.util.List;

/**
 * Rows a second until the last one is acknowledged and can be looked up by its key, in a new table
 * each round. CPU time of servers counts until they have settled, as in {@link WriteRound}. The
 * table is counted before it is dropped.
 */
public final class TableRound {

  /** The figure of rows a second until they are acknowledged only. */
  public static final String ACKNOWLEDGED = "acknowledged rows/s";

  private final RowLoad load;
  private final int partitions;
  private final long secondsMax;
  private final Progress progress;
  private final LoadClock clock;

  /** Rounds of {@code load} into tables of {@code partitions} partitions, with a bounded wait. */
  public TableRound(
      RowLoad load, int partitions, long secondsMax, Progress progress, LoadClock clock) {
    this.load = load;
    this.partitions = partitions;
    this.secondsMax = secondsMax;
    this.progress = progress;
    this.clock = clock;
  }

  /** Makes the table, writes the rows, waits until they are in it, and drops the table. */
  public Figures run(TablePeer peer, String table, long rows) throws Exception {
    peer.create(table, partitions);
    CpuTimes.settle(List.of(peer), clock);
    CpuTimes cpu = new CpuTimes(peer);
    Figures figures = new Figures();
    try (RowWriter writer = peer.openWriter(table)) {
      long startNanos = clock.nanos();
      var unused = load.write(writer, rows);
      long acknowledgedNanos = clock.nanos();
      long keptNanos = awaitKept(peer, table, rows);
      figures.put(WriteRound.RATE, rows * 1e9 / (keptNanos - startNanos));
      figures.put(ACKNOWLEDGED, rows * 1e9 / (acknowledgedNanos - startNanos));
      figures.put("client CPU us/row", cpu.clientMicrosPer(rows));
    }
    CpuTimes.settle(List.of(peer), clock);
    figures.put("server CPU us/row", cpu.serverMicrosPer(rows));
    peer.requireKept(table, rows);
    peer.drop(table);
    CpuTimes.settle(List.of(peer), clock);
    return figures;
  }

  private long awaitKept(TablePeer peer, String table, long rows) throws Exception {
    Progress.Watch watch = progress.watch("in the table", rows, peer::rowsKept);
    try (watch) {
      peer.awaitKept(table, rows, secondsMax);
      return clock.nanos();
    }
  }
}
