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

/** Waiting for what another thread knows, but not for long. */
public final class Waiting {

  private static final Logger LOGGER = LoggerFactory.getLogger(Waiting.class);
  private static final long ANSWER_MS_MAX = 2_000;

  private Waiting() {}

  /** What {@code owner} says; nothing when it fails, or has no time for it. */
  public static <T> Optional<T> forAnswer(Executor owner, Supplier<T> question) {
    try {
      return Optional.of(
          CompletableFuture.supplyAsync(question, owner).get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOGGER.debug("no answer for a page of figures", e);
      return Optional.empty();
    }
  }
}
