package io.tunnel.programs.demo;

import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How a demo went; as JSON it is an object with these members.
 *
 * @param rows what was written and consumed
 * @param rates how fast, and how long
 * @param cost what it took
 */
record DemoSummary(Rows rows, Rates rates, Cost cost) {

  /**
   * What was written and consumed.
   *
   * @param rowsWritten rows acknowledged
   * @param rowsConsumed changes that processors were given
   * @param missing changes acknowledged and never delivered
   * @param duplicates changes delivered more often than acknowledged
   * @param orderViolations changes delivered in another order than acknowledged
   * @param contentViolations keys with a change that is not the one acknowledged
   * @param errors rows that the server refused or never got
   * @param inDoubt rows of which it is not known whether they were applied
   * @param verified whether everything was applied, and delivered exactly once and in order
   */
  record Rows(
      long rowsWritten,
      long rowsConsumed,
      long missing,
      long duplicates,
      long orderViolations,
      long contentViolations,
      long errors,
      long inDoubt,
      boolean verified) {}

  /**
   * How fast it went, in how many parts.
   *
   * @param latencyP50Ms from the acknowledgement of a row to the callback with it; 0 when the
   *     callback came first
   * @param callbackBeforeAckPercent of the rows
   * @param writeToCallbackP50Ms from giving a row to the writer to the callback with it
   * @param elapsedMs all of it, the start of the server included
   */
  record Rates(
      long writeRowsPerSecond,
      long readRowsPerSecond,
      double latencyP50Ms,
      double latencyP99Ms,
      double latencyP999Ms,
      double latencyMaxMs,
      double callbackBeforeAckPercent,
      double writeToCallbackP50Ms,
      double writeToCallbackP99Ms,
      int partitions,
      int workers,
      double elapsedMs) {}

  /**
   * What it took. Figures of a server that the demo did not start are 0.
   *
   * @param serverCpuSecondsPerMillionRows of the server, for writing and delivering
   * @param writerCpuSecondsPerMillionRows of generating rows, the SDK's writer and the ledger
   * @param readerCpuSecondsPerMillionRows of the SDK's workers, decoding every column and the
   *     ledger
   * @param heapUsedMaxBytes the most that the heap of writer and readers was seen to use
   * @param serverResidentBytes memory that the server held at the end
   * @param bytesOnDisk log and table of the server at the end
   */
  record Cost(
      double serverCpuSecondsPerMillionRows,
      double writerCpuSecondsPerMillionRows,
      double readerCpuSecondsPerMillionRows,
      long heapUsedMaxBytes,
      long serverResidentBytes,
      long bytesOnDisk) {

    /** Whether the demo started the server: the cost of a foreign server is unknown. */
    boolean isServerSeen() {
      return serverResidentBytes > 0;
    }
  }

  /** For people. */
  List<String> lines() {
    TextTable table = new TextTable("what", ">figure");
    table.row("rows written", Human.count(rows.rowsWritten()));
    table.row("rows consumed", Human.count(rows.rowsConsumed()));
    table.row("missing", Human.count(rows.missing()));
    table.row("duplicates", Human.count(rows.duplicates()));
    table.row("order violations", Human.count(rows.orderViolations()));
    table.row("content violations", Human.count(rows.contentViolations()));
    if (rows.errors() + rows.inDoubt() > 0) {
      table.row("rejected or not sent", Human.count(rows.errors()));
      table.row("in doubt", Human.count(rows.inDoubt()));
    }
    table.row("written rows/s", Human.count(rates.writeRowsPerSecond()));
    table.row("consumed rows/s", Human.count(rates.readRowsPerSecond()));
    table.row("write to callback, p50", millis(rates.writeToCallbackP50Ms()));
    table.row("write to callback, p99", millis(rates.writeToCallbackP99Ms()));
    table.row(
        "callback before acknowledgement", figure(rates.callbackBeforeAckPercent()) + " % of rows");
    table.row("acknowledgement to callback, p50", sinceAck(50, rates.latencyP50Ms()));
    table.row("acknowledgement to callback, p99", sinceAck(99, rates.latencyP99Ms()));
    if (cost.isServerSeen()) {
      table.row("CPU-s per million rows, server", figure(cost.serverCpuSecondsPerMillionRows()));
    }
    table.row("CPU-s per million rows, writer", figure(cost.writerCpuSecondsPerMillionRows()));
    table.row("CPU-s per million rows, reader", figure(cost.readerCpuSecondsPerMillionRows()));
    table.row("heap of writer and reader, most", Human.bytes(cost.heapUsedMaxBytes()));
    if (cost.isServerSeen()) {
      table.row("memory of the server", Human.bytes(cost.serverResidentBytes()));
      table.row("bytes on disk", Human.bytes(cost.bytesOnDisk()));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add(verdict());
    return lines;
  }

  private String verdict() {
    String where = " (" + rates.partitions() + " partitions, " + rates.workers() + " workers, ";
    String time = figure(rates.elapsedMs() / 1e3) + " s)";
    return rows.verified()
        ? "VERIFIED: every acknowledged change arrived exactly once, in order" + where + time
        : "NOT VERIFIED: see the figures above" + where + time;
  }

  /** A percentile of rows whose callback came first is no time. */
  private String sinceAck(int percentile, double ms) {
    return rates.callbackBeforeAckPercent() >= percentile ? "callback first" : millis(ms);
  }

  private static String millis(double ms) {
    return figure(ms) + " ms";
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
