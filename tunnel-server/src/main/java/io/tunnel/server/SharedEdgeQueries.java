package io.tunnel.server;

import io.tunnel.server.kafka.KafkaEdges;
import io.tunnel.server.log.EdgeQueries;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Kafka's offsets as positions: the first change of a partition has at least position 1. */
record SharedEdgeQueries(KafkaEdges edges) implements EdgeQueries {

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
                          new Edge(Math.max(1, edge.whole()), Math.max(0, edge.end() - 1))));
              return positions;
            });
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return edges.firstSince(partitions, micros);
  }
}
