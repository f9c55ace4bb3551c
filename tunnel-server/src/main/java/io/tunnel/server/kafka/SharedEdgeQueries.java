package io.tunnel.server.kafka;

import io.tunnel.model.KnownPosition;
import io.tunnel.server.log.EdgeQueries;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Kafka's offsets as positions: the first change of a partition has at least position 1. */
public record SharedEdgeQueries(KafkaEdges edges, KafkaEpochs epochs) implements EdgeQueries {

  @Override
  public CompletableFuture<Map<Integer, Edge>> edges(Collection<Integer> partitions) {
    return edges
        .edges(partitions)
        .thenApply(
            found -> {
              Map<Integer, Edge> positions = new HashMap<>();
              found.forEach(
                  (partition, edge) ->
                      positions.put(
                          partition,
                          new Edge(
                              Math.max(1, edge.whole()),
                              Math.max(0, edge.end() - 1),
                              edge.leaderEpoch().map(epoch -> epoch + 1L))));
              return positions;
            });
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return edges.firstSince(partitions, micros);
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
