package io.tunnel.sdk.worker;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The checkpoints that the processor of one channel waits for, and the worker's own reasons not to
 * store them. Runs on the worker's thread, except the reasons.
 */
final class AwaitedCheckpoints {

  private final TreeMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

  /** Completes {@code stored} when a checkpoint at or behind {@code position} is stored. */
  void add(long position, CompletableFuture<Void> stored) {
    waiting.computeIfAbsent(position, at -> new ArrayList<>()).add(stored);
  }

  /** A checkpoint at {@code position} is stored. */
  void stored(long position) {
    for (CompletableFuture<Void> stored : take(waiting.headMap(position, true))) {
      stored.complete(null);
    }
  }

  /** A checkpoint at {@code position} was not stored; calls for later positions go on waiting. */
  void failed(long position, Throwable reason) {
    for (CompletableFuture<Void> stored : take(waiting.headMap(position, true))) {
      stored.completeExceptionally(reason);
    }
  }

  /** No further checkpoint will be stored. */
  void failAll(Throwable reason) {
    failed(Long.MAX_VALUE, reason);
  }

  private static List<CompletableFuture<Void>> take(Map<Long, List<CompletableFuture<Void>>> some) {
    List<CompletableFuture<Void>> taken = some.values().stream().flatMap(List::stream).toList();
    some.clear();
    return taken;
  }

  /** The worker has lost the channel. */
  static RefusedException fenced(Assignment assignment) {
    return new RefusedException(
        ErrorCode.FENCED,
        "the worker no longer holds channel "
            + assignment.channelId()
            + " under epoch "
            + assignment.epoch());
  }

  /** The worker knows no row key for the position, so the next holder could not resume there. */
  static IllegalArgumentException withoutKey(long position) {
    return new IllegalArgumentException(
        "token "
            + position
            + " lies inside the first rows of the channel and belongs to no input: the key of its row"
            + " is unknown");
  }

  /** A later checkpoint is stored. */
  static RefusedException behind(long position, long checkpointed) {
    return new RefusedException(
        ErrorCode.INVALID_CHECKPOINT,
        "position " + position + " lies before the checkpoint at " + checkpointed);
  }
}
