package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.ClusterControl.Attached;
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

  void handle(Frame frame, Connection connection) {
    ClusterView view = cluster.view();
    switch (frame.operation()) {
      case DESCRIBE_CLUSTER -> threads.answer(threads.control(), frame, connection, view::describe);
      case DESCRIBE_NODE -> threads.answer(threads.control(), frame, connection, view::status);
      case DRAIN_NODE -> {
        boolean isDraining = Json.decode(frame.payload(), DrainNode.class).isDraining();
        threads.answer(
            threads.control(),
            frame,
            connection,
            () -> {
              view.drain(isDraining);
              return new Empty();
            });
      }
      case ATTACH -> attach(frame, connection);
      case DETACH -> {
        ChannelRef ref = ChannelRef.decode(frame.payload());
        requireAttachments();
        // One that is not there is detached already.
        connection
            .attachment(ref.handle())
            .filter(attachment -> attachment.request().epoch() == ref.epoch())
            .ifPresent(Attachment::over);
        connection.respond(frame, Json.encode(new Empty()));
      }
      default -> throw new IllegalStateException(frame.operation() + " is not about clusters");
    }
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

  private void attach(Frame frame, Connection connection) {
    requireAttachments()
        .attach(
            Json.decode(frame.payload(), Attach.class),
            connection,
            new Attachment.Answer() {
              @Override
              public void attached(Attached attached) {
                connection.respond(frame, Json.encode(attached));
              }

              @Override
              public void refused(RefusedException reason) {
                connection.refuse(frame, reason);
              }
            });
  }
}
