package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes whose snapshots are due after 4,000 bytes of a log. */
abstract class SnapshotsFixture {

  static final int P = 1;

  /** Longer than a trim waits after a snapshot. */
  static final long WAIT_MS = TimeUnit.MINUTES.toMillis(12);

  @TempDir Path directory;
  ReplicaNodes nodes;
  Node first;
  Node second;
  private int writes;

  @BeforeEach
  void start() throws IOException {
    nodes = new ReplicaNodes(directory);
    nodes.snapshotLimits = limits(1L << 30, TimeUnit.MINUTES.toNanos(30));
    first = nodes.start(1);
    second = nodes.start(2);
  }

  /** A snapshot is due when the log has 4,000 bytes, whatever the rows have. */
  static Snapshots.Limits limits(long pace, long pinnedNanosMax) {
    return new Snapshots.Limits(
        new DueCore.Limits(4_000, 1, 1 << 30, pace, pace),
        SnapshotWriter.Limits.ofNode(pinnedNanosMax));
  }

  @AfterEach
  void stop() throws IOException {
    nodes.close();
  }

  void lead(Node node, Node other) throws IOException {
    other.replicas.follow(P);
    node.replicas.lead(P);
    nodes.pass(100);
    assertThat(node.replicas.isServing(P)).isTrue();
  }

  void write(Node node, String key) throws Exception {
    Outcomes outcome = new Outcomes();
    node.replicas.of(P).write(Outcomes.write(batch(P, put(key)), false, outcome));
    nodes.settle();
    assertThat(outcome.result().appliedRows()).isEqualTo(1);
  }

  /** Writes until one more snapshot counts. */
  void snapshot(Node leader) throws Exception {
    long before = count(Kind.SNAPSHOT);
    long taken = writes + 1L;
    while (count(Kind.SNAPSHOT) == before) {
      writes++;
      write(leader, "k" + writes % 10);
      nodes.pass(200);
      assertThat(writes - taken).as("writes without a snapshot").isLessThan(1_000);
    }
  }

  long count(Kind kind) {
    return nodes.logs.records(P).stream().filter(record -> record.header.kind() == kind).count();
  }

  long logStart() {
    return nodes.logs.log(P).first;
  }

  AppendValue.Snapshot newest(int back) {
    List<SimAppendLogs.Landed> named =
        nodes.logs.records(P).stream()
            .filter(record -> record.header.kind() == Kind.SNAPSHOT)
            .toList();
    return (AppendValue.Snapshot)
        AppendValue.decode(Kind.SNAPSHOT, named.get(named.size() - 1 - back).value);
  }
}
