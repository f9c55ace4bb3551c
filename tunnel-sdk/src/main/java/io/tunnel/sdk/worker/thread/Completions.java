package io.tunnel.sdk.worker.thread;

import java.util.concurrent.CompletableFuture;

/** Completes futures for users, whose code must not run on the worker's thread. */
public final class Completions {

  private final SerialTasks tasks;

  public Completions(ProcessorThreads threads) {
    this.tasks = new SerialTasks(threads, Integer.MAX_VALUE);
  }

  /** Completes as {@code stored} does, but elsewhere. */
  public CompletableFuture<Void> of(CompletableFuture<Void> stored) {
    CompletableFuture<Void> told = new CompletableFuture<>();
    var unused = stored.whenComplete((nothing, failure) -> tasks.offer(() -> pass(failure, told)));
    return told;
  }

  private static void pass(Throwable failure, CompletableFuture<Void> told) {
    if (failure == null) {
      told.complete(null);
    } else {
      told.completeExceptionally(failure);
    }
  }
}
