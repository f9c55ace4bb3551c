package io.tunnel.server.kafka;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;

/** Futures of answers of Kafka's administration, that fail with an IOException. */
public final class AdminFutures {

  private AdminFutures() {}

  /** The answer, on a thread that must not wait for another answer. */
  public static <T> CompletableFuture<T> of(String asked, KafkaFuture<T> answer) {
    return of(asked, answer.toCompletionStage().toCompletableFuture());
  }

  /** The answer; a failure becomes the one of {@link #failure}. */
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

  /** What is told: that Kafka does not answer, or why it refuses. */
  public static IOException failure(String asked, Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof IOException known) {
      return known;
    }
    // Also a time that ran out, and a coordinator or leader that is not there for the moment.
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
      return cause.getMessage() + "; are the user and the certificates of --kafka-config right?";
    }
    if (cause instanceof AuthorizationException) {
      return cause.getMessage()
          + " The node's user may do too little: docs/operating.md lists under Access what it needs.";
    }
    return cause.toString();
  }

  /** Without the wrappings that futures put around a failure. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
