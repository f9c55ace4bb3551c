package io.tunnel.server.node;

import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.LookAnswer.BoundRows;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Bound;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Where;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The looks that a node answers: at its replicas, its kept rows and its rows of sessions. */
record NodeLooks(PartitionLooks replicas, NodePins pins, NodeBound sessions)
    implements PartitionLooks {

  @Override
  public CompletableFuture<Found> look(Where question) {
    return replicas.look(question);
  }

  @Override
  public CompletableFuture<Optional<Long>> verified(int partition) {
    return replicas.verified(partition);
  }

  @Override
  public CompletableFuture<Lags> lags(Behind question) {
    return replicas.lags(question);
  }

  @Override
  public CompletableFuture<Pinned> pin(Pin question) {
    return pins.pin(question);
  }

  @Override
  public CompletableFuture<Unpinned> unpin(Unpin question) {
    return pins.unpin(question);
  }

  @Override
  public CompletableFuture<BoundRows> bound(Bound question) {
    return sessions.bound(question);
  }
}
