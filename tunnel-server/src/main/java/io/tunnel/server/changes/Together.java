package io.tunnel.server.changes;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Answers that are wanted all at once. */
public final class Together {

  private Together() {}

  /** All answers by their keys, when the last one has come; fails when one answer has failed. */
  public static <K, V> CompletableFuture<Map<K, V>> of(Map<K, CompletableFuture<V>> answers) {
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              Map<K, V> found = new HashMap<>();
              answers.forEach((key, answer) -> found.put(key, answer.join()));
              return found;
            });
  }
}
