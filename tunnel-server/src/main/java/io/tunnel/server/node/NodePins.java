package io.tunnel.server.node;

import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import java.util.concurrent.CompletableFuture;

/**
 * The rows that a node keeps for tunnels.
 *
 * @param rows refuses partitions of other leaders
 */
record NodePins(TunnelRows rows, Incarnations incarnations) {

  CompletableFuture<Pinned> pin(Pin question) {
    int partition = question.partition();
    return rows.keep(question.tunnelId(), partition)
        .thenApply(position -> new Pinned(partition, position, incarnations.newest(partition)));
  }

  CompletableFuture<Unpinned> unpin(Unpin question) {
    if (question.partition() == 0) {
      rows.forget(question.tunnelId());
    } else {
      rows.forget(question.tunnelId(), question.partition());
    }
    return CompletableFuture.completedFuture(new Unpinned(question.partition()));
  }
}
