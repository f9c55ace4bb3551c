package io.tunnel.wire.control;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.value.Bytes;
import java.util.Objects;

/** The payloads of operations about row sessions, whose bound rows live as long as they do. */
public sealed interface RowSessionControl extends Control {

  /**
   * Opens a session.
   *
   * @param leaseMs how long the session lives without a renewal
   * @param secret bytes that the client has drawn, {@value SessionProof#SECRET_BYTES} of them
   */
  record Open(long leaseMs, Bytes secret) implements RowSessionControl {
    /** Refuses null. */
    public Open {
      Objects.requireNonNull(secret, "secret");
    }
  }

  /** The id of an open session. */
  record Opened(long sessionId) implements RowSessionControl {}

  /** Names a session, and proves that the client has it. */
  record Named(long sessionId, Bytes secret) implements RowSessionControl {
    /** Refuses null. */
    public Named {
      Objects.requireNonNull(secret, "secret");
    }
  }
}
