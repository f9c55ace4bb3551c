package io.tunnel.server.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits a short time for an answer of another thread. */
public final class Waiting {

  private static final Logger LOGGER = LoggerFactory.getLogger(Waiting.class);
  private static final long ANSWER_MS_MAX = 2_000;

  private Waiting() {}

  /** The answer of {@code owner}; empty when the question fails or {@code owner} has no time. */
  public static <T> Optional<T> forAnswer(Executor owner, Supplier<T> question) {
    try {
      return Optional.of(
          CompletableFuture.supplyAsync(question, owner).get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOGGER.debug("no answer for a page of metrics", e);
      return Optional.empty();
    }
  }
}
