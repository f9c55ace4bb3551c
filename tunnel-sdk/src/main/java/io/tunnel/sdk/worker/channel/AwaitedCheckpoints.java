package io.tunnel.sdk.worker.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Who waits until which position of a channel is stored. On the worker's thread. */
public final class AwaitedCheckpoints {

  private final TreeMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();

  public void add(long position, CompletableFuture<Void> stored) {
    waiting.computeIfAbsent(position, at -> new ArrayList<>()).add(stored);
  }

  /** Everything up to {@code position} is stored. */
  public void stored(long position) {
    for (CompletableFuture<Void> stored : take(waiting.headMap(position, true))) {
      stored.complete(null);
    }
  }

  /** A checkpoint at {@code position} was not stored; what waits for a later one goes on. */
  public void failed(long position, Throwable reason) {
    for (CompletableFuture<Void> stored : take(waiting.headMap(position, true))) {
      stored.completeExceptionally(reason);
    }
  }

  /** Nothing will be stored any more. */
  public void failAll(Throwable reason) {
    failed(Long.MAX_VALUE, reason);
  }

  private static List<CompletableFuture<Void>> take(Map<Long, List<CompletableFuture<Void>>> some) {
    List<CompletableFuture<Void>> taken = some.values().stream().flatMap(List::stream).toList();
    some.clear();
    return taken;
  }
}
