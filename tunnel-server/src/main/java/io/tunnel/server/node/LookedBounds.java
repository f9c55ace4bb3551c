package io.tunnel.server.node;

import io.tunnel.model.KnownPosition;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.Together;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookRequest.Where;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The bounds of logs of appends, by the leaders of the partitions: positions are in the records, so
 * only a leader knows where its partition ends.
 */
record LookedBounds(LeaderLooks leaders) implements BoundsQueries {

  @Override
  public CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions) {
    return Together.of(boundsOfEach(partitions));
  }

  @Override
  public Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions) {
    return each(leaders.ask(wheres(partitions, List.of())), LookedBounds::bounds);
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return Together.of(
        each(leaders.ask(wheres(partitions, List.of(micros))), found -> found.firstSince().get(0)));
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known) {
    List<Where> questions = new ArrayList<>();
    known.forEach(
        (partition, one) -> questions.add(new Where(partition, List.of(), Optional.of(one))));
    return Together.of(each(leaders.ask(questions), found -> found.shared().orElseThrow()));
  }

  private static List<Where> wheres(Collection<Integer> partitions, List<Long> sinceMicros) {
    return new LinkedHashSet<>(partitions)
        .stream().map(each -> new Where(each, sinceMicros, Optional.empty())).toList();
  }

  private static Bounds bounds(Found found) {
    return new Bounds(found.first(), found.last(), found.incarnation());
  }

  private static <T> Map<Integer, CompletableFuture<T>> each(
      Map<Integer, CompletableFuture<Found>> answers, Function<Found, T> part) {
    Map<Integer, CompletableFuture<T>> parts = new TreeMap<>();
    answers.forEach((partition, found) -> parts.put(partition, found.thenApply(part)));
    return parts;
  }
}
