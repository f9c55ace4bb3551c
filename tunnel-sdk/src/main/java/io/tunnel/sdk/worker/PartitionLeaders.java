package io.tunnel.sdk.worker;

import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Who leads the partitions of the tunnel's table, as the session's node says when it is asked; all
 * who want to know meanwhile share the answer. On the worker's thread.
 */
final class PartitionLeaders {

  private final ChannelPort session;
  private final Links links;
  private final byte[] request;
  private final Map<Integer, Endpoint> leaders = new HashMap<>();
  private Optional<CompletableFuture<Void>> reading = Optional.empty();

  PartitionLeaders(ChannelPort session, Links links, String table) {
    this.session = session;
    this.links = links;
    this.request = Json.encode(new Control.TableName(table));
  }

  /** The leader of a partition, if there is one. */
  CompletableFuture<Optional<Endpoint>> of(int partition) {
    if (leaders.containsKey(partition)) {
      return CompletableFuture.completedFuture(Optional.of(leaders.get(partition)));
    }
    if (reading.isEmpty()) {
      CompletableFuture<Void> next = new CompletableFuture<>();
      reading = Optional.of(next);
      var unused =
          session
              .request(Operation.PARTITION_MAP, request)
              .thenAccept(frame -> read(Json.decode(frame.payload(), TableDescription.class)))
              .whenComplete(
                  (nothing, failure) -> {
                    reading = Optional.empty();
                    if (failure == null) {
                      next.complete(null);
                    } else {
                      next.completeExceptionally(failure);
                    }
                  });
      return next.thenApply(nothing -> Optional.ofNullable(leaders.get(partition)));
    }
    return reading.get().thenApply(nothing -> Optional.ofNullable(leaders.get(partition)));
  }

  private void read(TableDescription table) {
    leaders.clear();
    for (PartitionDescription partition : table.partitions()) {
      Endpoint.told(partition.leader()).ifPresent(leader -> learn(partition.id(), leader));
    }
  }

  /** A node has said who leads. */
  void learn(int partition, Endpoint leader) {
    links.learn(leader);
    leaders.put(partition, leader);
  }

  /** Who leads it is to be asked. */
  void forget(int partition) {
    leaders.remove(partition);
  }

  /** That node leads it no more, or cannot be reached. */
  void forget(int partition, Endpoint leader) {
    leaders.remove(partition, leader);
  }
}
