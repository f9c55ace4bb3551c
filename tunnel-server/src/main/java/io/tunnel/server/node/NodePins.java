package io.tunnel.server.node;

import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Where;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The rows that a node keeps for tunnels, besides the looks at its partitions.
 *
 * @param rows refuses partitions of other leaders
 */
record NodePins(PartitionLooks partitions, TunnelRows rows, Incarnations incarnations)
    implements PartitionLooks {

  @Override
  public CompletableFuture<Found> look(Where question) {
    return partitions.look(question);
  }

  @Override
  public CompletableFuture<Optional<Long>> verified(int partition) {
    return partitions.verified(partition);
  }

  @Override
  public CompletableFuture<Lags> lags(Behind question) {
    return partitions.lags(question);
  }

  @Override
  public CompletableFuture<Pinned> pin(Pin question) {
    int partition = question.partition();
    return rows.keep(question.tunnelId(), partition)
        .thenApply(position -> new Pinned(partition, position, incarnations.newest(partition)));
  }

  @Override
  public CompletableFuture<Unpinned> unpin(Unpin question) {
    if (question.partition() == 0) {
      rows.forget(question.tunnelId());
    } else {
      rows.forget(question.tunnelId(), question.partition());
    }
    return CompletableFuture.completedFuture(new Unpinned(question.partition()));
  }
}
