package io.tunnel.sdk.read;

import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.concurrent.CompletableFuture;

/** One connection to a node. Called on the reader's thread, where its futures complete too. */
public interface ReadLink {

  /** Asks; ends with the answer, the node's refusal, or the connection's end. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload);

  /** Says something that has no answer. */
  void push(Operation operation, byte[] payload);

  /** Closes the connection. Idempotent. */
  void close();
}
