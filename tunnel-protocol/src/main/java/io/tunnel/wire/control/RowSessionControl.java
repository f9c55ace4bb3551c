package io.tunnel.wire.control;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.value.Bytes;
import java.util.List;
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

  /** Asks for the sessions after an id, 0 for the first page. */
  record After(long sessionId) implements RowSessionControl {}

  /** Names a session, of whatever principal. */
  record Numbered(long sessionId) implements RowSessionControl {}

  /**
   * Sessions by id.
   *
   * @param isCut whether more follow after the last one
   */
  record SessionList(List<SessionInfo> sessions, boolean isCut) implements RowSessionControl {
    /** Refuses null and copies the list. */
    public SessionList {
      sessions = List.copyOf(Objects.requireNonNull(sessions, "sessions"));
    }
  }

  /**
   * A session.
   *
   * @param principal empty where clients have no names
   * @param leaseMs how long the session lives without a renewal
   * @param leftMs how long it lives from now on without a renewal; 0 for a session that is ending
   * @param rows its stored rows
   */
  record SessionInfo(long sessionId, String principal, long leaseMs, long leftMs, long rows)
      implements RowSessionControl {
    /** Refuses null. */
    public SessionInfo {
      Objects.requireNonNull(principal, "principal");
    }
  }

  /** Names a session, and proves that the client has it. */
  record Named(long sessionId, Bytes secret) implements RowSessionControl {
    /** Refuses null. */
    public Named {
      Objects.requireNonNull(secret, "secret");
    }
  }
}
