package io.tunnel.sdk.transport;

import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One connection to the server, for a user with one thread, such as a worker. Every request ends:
 * with its answer, with the server's refusal ({@link io.tunnel.model.RefusedException}), or with a
 * {@link io.tunnel.sdk.ConnectionException}. All calls come from this thread, and futures complete
 * on it.
 */
public interface Link {

  /** Sends a request; the answer has the deadline of the client's configuration. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload);

  /** Sends a request whose answer has the given deadline. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline);

  /** Sends a push, which has no answer; dropped when the connection is lost. */
  void push(Operation operation, byte[] payload);

  /** Closes the connection; unanswered requests fail. Idempotent. */
  void close();
}
