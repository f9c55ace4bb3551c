package io.tunnel.server.replica.append;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Waits on the thread of a test, which is also the thread of the shards.
 *
 * @param step lets the shards do what waits
 */
record StepWaits(Runnable step) implements Waits {

  @Override
  public <T> T answer(CompletableFuture<T> asked) throws InterruptedException, ExecutionException {
    while (!asked.isDone()) {
      step.run();
    }
    return asked.get();
  }

  @Override
  public <T> Optional<T> next(BlockingQueue<T> queue) {
    return Optional.ofNullable(queue.poll());
  }
}
