package io.tunnel.server.replica.append;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** How threads wait. The threads of a simulation let simulated time pass instead. */
interface Waits {

  /** Waits until a question is answered, or has failed. */
  <T> T answer(CompletableFuture<T> asked) throws InterruptedException, ExecutionException;

  /** Waits for the next element of a queue; empty when none comes in time. */
  <T> Optional<T> next(BlockingQueue<T> queue) throws InterruptedException;

  /**
   * Waits as a thread of the JVM.
   *
   * @param waitMsMax limit of a wait for an element, in milliseconds
   */
  static Waits ofThread(long waitMsMax) {
    return new Waits() {
      @Override
      public <T> T answer(CompletableFuture<T> asked)
          throws InterruptedException, ExecutionException {
        return asked.get();
      }

      @Override
      public <T> Optional<T> next(BlockingQueue<T> queue) throws InterruptedException {
        return Optional.ofNullable(queue.poll(waitMsMax, TimeUnit.MILLISECONDS));
      }
    };
  }
}
