package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.it.process.WriterSetup;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RowResult.Outcome;
import java.time.Duration;
import java.util.List;

/**
 * A table of its own in use: a process writes, two processes consume. When it ends, everything that
 * was acknowledged has been consumed in order, and is what every node says that the table holds.
 */
final class Traffic implements AutoCloseable {

  private static final int ROWS_PER_SECOND = 1_500;
  private static final int ROWS = 1_000;
  private static final int LEASE_S = 4;
  private static final Duration REQUEST_DEADLINE = Duration.ofSeconds(5);

  /** So many more rows must be applied for everything to flow. */
  private final int rows;

  private final Cluster cluster;
  private final Stage stage;
  private final Scene scene;
  private final Channels tunnel;
  private final WriterProcess writer;
  private final List<WorkerProcess> workers;

  /** Begins, and returns when everything flows. */
  Traffic(Stage stage, Cluster cluster, int partitions) {
    this(stage, cluster, partitions, ROWS_PER_SECOND);
  }

  /** A writer of {@code rowsPerSecond} rows, and workers. */
  Traffic(Stage stage, Cluster cluster, int partitions, int rowsPerSecond) {
    rows = Math.min(ROWS, rowsPerSecond);
    this.stage = stage;
    this.cluster = cluster;
    scene = new Scene(stage, cluster, partitions);
    tunnel = scene.tunnel("audit", TunnelType.Stream);
    workers = List.of(worker("one"), worker("two"));
    writer =
        new WriterProcess(
            stage,
            cluster,
            scene.testTable(),
            WriterSetup.paced(17, rowsPerSecond).withRequestDeadline(REQUEST_DEADLINE));
    awaitFlow();
  }

  private WorkerProcess worker(String tag) {
    return scene.worker(tunnel, WorkerSetup.of(tag, Scene.OFTEN).withLease(LEASE_S));
  }

  Scene scene() {
    return scene;
  }

  /** The id of a partition of its table. */
  int somePartition() {
    return scene.committed().keySet().iterator().next();
  }

  Channels tunnel() {
    return tunnel;
  }

  WriterProcess writer() {
    return writer;
  }

  /** Returns when the writer has got further than it is now. */
  void awaitWritten() {
    writer.awaitMoreApplied(rows);
  }

  /** Returns when the writer, and every channel, have got further than they are now. */
  void awaitFlow() {
    awaitWritten();
    tunnel.awaitBeyond(scene.committed());
  }

  /** Ends its processes at once, if they have not ended. */
  @Override
  public void close() {
    writer.child().close();
    workers.forEach(worker -> worker.child().close());
  }

  /** What became of all that was written, and how much of it was delivered more than once. */
  record Account(Ledger ledger, int repeated) {

    /** Nobody who wrote noticed anything. */
    Account requireNoErrors() {
      assertThat(ledger.with(Outcome.IN_DOUBT)).isEmpty();
      assertThat(ledger.with(Outcome.NOT_SENT)).isEmpty();
      return this;
    }

    /** Nobody who read noticed anything. */
    Account requireNoRepetition() {
      assertThat(repeated).as("changes that were delivered more than once").isZero();
      return this;
    }
  }

  /** Ends it; nothing may be missing, and order is kept. */
  Account end() {
    Ledger ledger = new Ledger(writer.stop());
    // Not drained: behind the last change there may be markers, and records that do not count.
    tunnel.awaitBeyond(scene.committed());
    workers.forEach(WorkerProcess::stop);
    Sightings sightings = new Sightings();
    sightings.add(Noted.inTurns(workers.toArray(WorkerProcess[]::new)));
    int applied = ledger.requireConsumed(sightings);
    assertThat(applied).isLessThanOrEqualTo(ledger.count(Outcome.IN_DOUBT));
    assertThat(sightings.count()).isEqualTo(ledger.count(Outcome.APPLIED) + applied);
    assertThat(ledger.count(Outcome.REJECTED)).isZero();
    for (NodeProcess node : cluster.running()) {
      Ledger.requireTable(stage.tables(node), scene.table(), sightings);
    }
    return new Account(ledger, sightings.repeated());
  }
}
