package io.tunnel.server.kafka;

import io.tunnel.model.KnownPosition;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.BoundsQueries;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Kafka's offsets as positions: the first change of a partition has at least position 1. */
public record KafkaPositions(KafkaOffsets offsets, KafkaEpochs epochs) implements BoundsQueries {

  @Override
  public CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions) {
    return offsets.bounds(partitions);
  }

  @Override
  public Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions) {
    return offsets.boundsOfEach(partitions);
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return offsets.firstSince(partitions, micros);
  }

  /**
   * An incarnation is a leader's epoch plus one. Kafka is not asked about a number that is no
   * epoch, such as an incarnation of a server without a cluster.
   */
  @Override
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known) {
    Map<Integer, Long> positions = new HashMap<>();
    Map<Integer, KafkaEpochs.Seen> seen = new HashMap<>();
    known.forEach(
        (partition, one) -> {
          long epoch = one.incarnation() - 1;
          if (epoch > Integer.MAX_VALUE) {
            positions.put(partition, 0L);
          } else {
            long next = Math.min(one.position(), Long.MAX_VALUE - 1) + 1;
            seen.put(partition, new KafkaEpochs.Seen(next, (int) epoch));
          }
        });
    if (seen.isEmpty()) {
      return CompletableFuture.completedFuture(positions);
    }
    return epochs
        .shared(seen)
        .thenApply(
            ends -> {
              ends.forEach((partition, end) -> positions.put(partition, Math.max(0, end - 1)));
              return positions;
            });
  }
}
