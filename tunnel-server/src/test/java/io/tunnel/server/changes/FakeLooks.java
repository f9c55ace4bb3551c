package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Where;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Replicas that answer looks as a test says, at once or later; any thread. */
public final class FakeLooks implements PartitionLooks {

  private final Map<Integer, CompletableFuture<Found>> founds = new ConcurrentHashMap<>();
  private final Map<Integer, Long> verified = new ConcurrentHashMap<>();
  private final List<Where> asked = new CopyOnWriteArrayList<>();
  private final Map<Integer, Pinned> pinned = new ConcurrentHashMap<>();
  private final List<Unpin> unpinned = new CopyOnWriteArrayList<>();

  /** The node leads the partition, and its look finds this. */
  public void leads(Found found) {
    founds.put(found.partition(), CompletableFuture.completedFuture(found));
  }

  /** A look at the partition ends when the test completes the future. */
  public CompletableFuture<Found> holds(int partition) {
    CompletableFuture<Found> later = new CompletableFuture<>();
    founds.put(partition, later);
    return later;
  }

  /** A look at the partition fails. */
  public void fails(int partition, ErrorCode code) {
    founds.put(
        partition, CompletableFuture.failedFuture(new RefusedException(code, "cannot look")));
  }

  /** The node has read this snapshot back. */
  public void verifies(int partition, long id) {
    verified.put(partition, id);
  }

  /** The node leads the partition, and keeps its rows for any tunnel. */
  public void pins(Pinned answer) {
    pinned.put(answer.partition(), answer);
  }

  /** What was given up, oldest first. */
  public List<Unpin> unpinned() {
    return List.copyOf(unpinned);
  }

  @Override
  public CompletableFuture<Pinned> pin(Pin question) {
    Pinned answer = pinned.get(question.partition());
    return answer == null
        ? PartitionLooks.super.pin(question)
        : CompletableFuture.completedFuture(answer);
  }

  @Override
  public CompletableFuture<Unpinned> unpin(Unpin question) {
    unpinned.add(question);
    return CompletableFuture.completedFuture(new Unpinned(question.partition()));
  }

  /** All questions, oldest first. */
  public List<Where> asked() {
    return List.copyOf(asked);
  }

  @Override
  public CompletableFuture<Found> look(Where question) {
    asked.add(question);
    CompletableFuture<Found> found = founds.get(question.partition());
    if (found == null) {
      throw RefusedException.notLeader(
          "partition " + question.partition() + " is led elsewhere", Optional.empty());
    }
    return found;
  }

  @Override
  public CompletableFuture<Lags> lags(Behind question) {
    throw new UnsupportedOperationException("nobody asks for lags");
  }

  @Override
  public CompletableFuture<Optional<Long>> verified(int partition) {
    return CompletableFuture.completedFuture(Optional.ofNullable(verified.get(partition)));
  }
}
