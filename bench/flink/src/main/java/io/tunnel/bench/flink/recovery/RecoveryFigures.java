package io.tunnel.bench.flink.recovery;

import io.tunnel.bench.flink.Child;
import io.tunnel.bench.flink.FlinkOptions;
import io.tunnel.bench.flink.Reader;
import io.tunnel.bench.flink.Services;
import io.tunnel.programs.bench.beside.Rounds;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Peer;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Lets a process for each source interrupt its job, on a table of its own. */
public final class RecoveryFigures {

  private static final String NAME = "live";

  private final FlinkOptions options;
  private final Services services;
  private final Child child;
  private final Rounds rounds;
  private final PrintWriter out;

  public RecoveryFigures(
      FlinkOptions options, Services services, Child child, Rounds rounds, PrintWriter out) {
    this.options = options;
    this.services = services;
    this.child = child;
    this.rounds = rounds;
    this.out = out;
  }

  public void run() throws Exception {
    for (Reader reader : options.readers) {
      if (reader != Reader.WORKER) {
        run(reader);
      }
    }
  }

  private void run(Reader reader) throws Exception {
    Peer peer = services.of(reader);
    peer.create(NAME, options.partitions);
    services.settle();
    long beginNanos = services.clock().nanos();
    RecoveryTimes told =
        child.run(
            RecoveryMain.class,
            options.recovery(
                reader, services.endpoint(reader), NAME, child.directory().resolve("savepoints")),
            RecoveryTimes.class);
    told.failures()
        .forEach(each -> rounds.add("recovery, a task fails", reader.text(), Figures.of(each)));
    told.savepoints()
        .forEach(each -> rounds.add("recovery, from a savepoint", reader.text(), Figures.of(each)));
    out.printf(
        Locale.ROOT,
        "recovery  %-12s  %d failures, %d savepoints, each of %,d rows seen once, %d s%n",
        reader.text(),
        told.failures().size(),
        told.savepoints().size(),
        told.rows(),
        TimeUnit.NANOSECONDS.toSeconds(services.clock().nanos() - beginNanos));
    peer.drop(NAME);
    services.settle();
  }
}
