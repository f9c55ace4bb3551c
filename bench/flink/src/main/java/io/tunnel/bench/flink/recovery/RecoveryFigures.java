package io.tunnel.bench.flink.recovery;

import io.tunnel.bench.flink.Child;
import io.tunnel.bench.flink.Findings;
import io.tunnel.bench.flink.FlinkOptions;
import io.tunnel.bench.flink.Reader;
import io.tunnel.bench.flink.Services;
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
  private final Findings findings;
  private final PrintWriter out;

  public RecoveryFigures(
      FlinkOptions options, Services services, Child child, Findings findings, PrintWriter out) {
    this.options = options;
    this.services = services;
    this.child = child;
    this.findings = findings;
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
    told.failures().forEach(each -> findings.add("recovery, a task fails", reader.text(), each));
    told.savepoints()
        .forEach(each -> findings.add("recovery, from a savepoint", reader.text(), each));
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
