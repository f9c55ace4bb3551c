package io.tunnel.server.kafka;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;

/** Turns answers of Kafka's admin client into futures that fail with an {@link IOException}. */
public final class AdminFutures {

  private AdminFutures() {}

  /** The answer; completed on a thread of Kafka that must not block. */
  public static <T> CompletableFuture<T> of(String asked, KafkaFuture<T> answer) {
    return of(asked, answer.toCompletionStage().toCompletableFuture());
  }

  /** The answer; fails with {@link #failure}. */
  public static <T> CompletableFuture<T> of(String asked, CompletableFuture<T> answer) {
    CompletableFuture<T> result = new CompletableFuture<>();
    answer.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(failure(asked, failure));
          }
        });
    return result;
  }

  /** The error to report: Kafka does not answer, or refuses for a reason. */
  public static IOException failure(String asked, Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof IOException known) {
      return known;
    }
    // Includes timeouts, and a coordinator or leader that is away at present.
    if (cause instanceof RetriableException) {
      return new LogUnavailableException(
          "Kafka did not " + asked + ": " + cause.getMessage(), cause);
    }
    return new IOException("Kafka refused to " + asked + ": " + reason(cause), cause);
  }

  private static String reason(Throwable cause) {
    if (cause instanceof InvalidReplicationFactorException) {
      return cause.getMessage()
          + " Start more brokers, or give --replication and --min-insync that fit, the same at all"
          + " nodes.";
    }
    if (cause instanceof AuthenticationException) {
      return cause.getMessage() + "; check the user and the certificates of --kafka-config";
    }
    if (cause instanceof AuthorizationException) {
      return cause.getMessage()
          + " The node's user lacks a right; docs/operate/operating.md lists the needed rights"
          + " under Access.";
    }
    return cause.toString();
  }

  /** The cause of a failure, without the wrappers of futures. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
