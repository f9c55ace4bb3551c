package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Nodes of a cluster, in which a table is split at 100, and clients of them. */
final class ThreeNodes implements AutoCloseable {

  /** How long requests are tried again. */
  static final Duration RETRY = Duration.ofSeconds(60);

  final FakeCluster cluster = new FakeCluster(3, 100);

  /** Notes of a test about requests, in order. */
  final List<String> asked = new CopyOnWriteArrayList<>();

  static void answer(FakeConnection connection, Frame frame, Control answer) {
    connection.answer(frame, Json.encode(answer));
  }

  /** A client that knows only one node at first. */
  TableClient tables(int first) {
    return TableClient.connect(
        cluster.node(first).config().withRetryDeadline(RETRY).withWriteRetryDeadline(RETRY));
  }

  static Control.TunnelInfo tunnel(String table, String name) {
    return new Control.TunnelInfo(
        "id-" + table + "-" + name, name, table, TunnelType.Stream, StreamStart.LATEST, 0);
  }

  @Override
  public void close() {
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }
}
