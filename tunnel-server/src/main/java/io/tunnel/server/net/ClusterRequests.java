package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.ClusterControl.DrainNode;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;

/** Serves what only the nodes of a cluster do. */
final class ClusterRequests {

  private final NetServer.Cluster cluster;
  private final RequestThreads threads;

  ClusterRequests(NetServer.Cluster cluster, RequestThreads threads) {
    this.cluster = cluster;
    this.threads = threads;
  }

  void describe(Frame frame, Connection connection) {
    threads.answer(threads.control(), frame, connection, cluster.view()::describe);
  }

  void describeNode(Frame frame, Connection connection) {
    threads.answer(threads.control(), frame, connection, cluster.view()::status);
  }

  void drain(Frame frame, Connection connection) {
    boolean isDraining = Json.decode(frame.payload(), DrainNode.class).isDraining();
    threads.answer(
        threads.control(),
        frame,
        connection,
        () -> {
          cluster.view().drain(isDraining);
          return new Empty();
        });
  }

  private Attachments requireAttachments() {
    return cluster
        .attachments()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    "this server is not a node of a cluster; it delivers channels on the connections"
                        + " of their sessions"));
  }

  void attach(Frame frame, Connection connection) {
    requireAttachments()
        .attach(
            Json.decode(frame.payload(), Attach.class),
            connection,
            PartitionRequests.answer(frame, connection));
  }
}
