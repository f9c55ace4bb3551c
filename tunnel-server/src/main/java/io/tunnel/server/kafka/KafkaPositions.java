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

  /** An incarnation is one more than a leader's epoch. */
  @Override
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known) {
    Map<Integer, KafkaEpochs.Seen> seen = new HashMap<>();
    known.forEach(
        (partition, one) ->
            seen.put(
                partition,
                new KafkaEpochs.Seen(one.position() + 1, Math.toIntExact(one.incarnation() - 1))));
    return epochs
        .shared(seen)
        .thenApply(
            ends -> {
              Map<Integer, Long> positions = new HashMap<>();
              ends.forEach((partition, end) -> positions.put(partition, Math.max(0, end - 1)));
              return positions;
            });
  }
}
