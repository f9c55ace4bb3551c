package io.tunnel.sdk.transport;

import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One connection to the server, as those need it who have a thread of their own. Every request
 * ends: with its answer, with the server's refusal ({@link io.tunnel.model.RefusedException}), or
 * with a {@link io.tunnel.sdk.ConnectionException}. Called on that thread, where its futures
 * complete too.
 */
public interface Link {

  /** Asks, and waits for the answer as long as the client's configuration says. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload);

  /** Asks, and waits for the answer until the deadline. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline);

  /** Says something that has no answer; dropped when the connection is lost. */
  void push(Operation operation, byte[] payload);

  /** Closes the connection; what is unanswered fails. Idempotent. */
  void close();
}
