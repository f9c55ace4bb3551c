package io.tunnel.bench.flink;

import io.tunnel.bench.flink.LegOrder.Table;
import io.tunnel.programs.bench.beside.Rounds;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowWriter;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Fills a table and a topic with the same rows, and lets each reader read them in turn. */
final class ReadFigures {

  private static final String NAME = "rows";
  private static final int WRITERS = 2;
  private static final double NANOS_PER_SECOND = 1e9;

  private final FlinkOptions options;
  private final Services services;
  private final Child child;
  private final Rounds rounds;
  private final PrintWriter out;

  ReadFigures(
      FlinkOptions options, Services services, Child child, Rounds rounds, PrintWriter out) {
    this.options = options;
    this.services = services;
    this.child = child;
    this.rounds = rounds;
    this.out = out;
  }

  void run() throws Exception {
    Map<Reader, Table> tables = new EnumMap<>(Reader.class);
    boolean readsOurs = options.readers.stream().anyMatch(reader -> reader != Reader.KAFKA);
    if (readsOurs) {
      tables.put(Reader.TUNNEL, fill(Reader.TUNNEL));
      tables.put(Reader.WORKER, tables.get(Reader.TUNNEL));
    }
    if (options.readers.contains(Reader.KAFKA)) {
      tables.put(Reader.KAFKA, fill(Reader.KAFKA));
    }
    services.settle();
    for (int round = 1; round <= options.rounds; round++) {
      for (Look look : options.looks) {
        for (Reader reader : options.readers) {
          leg(round, reader, look, tables.get(reader));
        }
      }
    }
    for (Reader reader : List.of(Reader.TUNNEL, Reader.KAFKA)) {
      if (tables.containsKey(reader)) {
        services.of(reader).drop(NAME);
      }
    }
    services.settle();
  }

  private Table fill(Reader reader) throws Exception {
    Peer peer = services.of(reader);
    peer.create(NAME, options.partitions);
    services.settle(); // a new topic has no leaders for a moment
    long beginNanos = services.clock().nanos();
    long amounts;
    try (RowWriter writer = peer.openWriter(NAME)) {
      amounts =
          new RowLoad(
                  WRITERS, options.legSecondsMax, RowPlan.DEFAULT, Progress.NONE, services.clock())
              .write(writer, options.rows);
    }
    out.printf(
        Locale.ROOT,
        "%,d rows written to %s in %.1f s%n",
        options.rows,
        peer.name(),
        (services.clock().nanos() - beginNanos) / NANOS_PER_SECOND);
    return new Table(services.endpoint(reader), NAME, options.rows, amounts);
  }

  private void leg(int round, Reader reader, Look look, Table table) throws Exception {
    long beginNanos = services.clock().nanos();
    long cpuNanosBefore = services.of(reader).serverCpuNanos().orElseThrow();
    LegFigures told =
        child.run(
            LegMain.class,
            new LegOrder(reader, look, table, options.pace(), options.parallelism),
            LegFigures.class);
    Map<String, Double> figures = new LinkedHashMap<>(told.figures());
    figures.put(
        "server CPU ns/row",
        (double) (services.of(reader).serverCpuNanos().orElseThrow() - cpuNanosBefore)
            / told.rowsRead());
    String test = "read, " + look.name().toLowerCase(Locale.ROOT);
    rounds.add(test, reader.text(), Figures.of(figures));
    out.printf(
        Locale.ROOT,
        "round %d of %d  %-12s  %-12s  %,11.0f rows/s  %6.0f ns CPU/row  %2d passes, %2d s%n",
        round,
        options.rounds,
        test,
        reader.text(),
        figures.get("rows/s"),
        figures.get("CPU ns/row"),
        told.passes(),
        TimeUnit.NANOSECONDS.toSeconds(services.clock().nanos() - beginNanos));
    services.settle();
  }
}
