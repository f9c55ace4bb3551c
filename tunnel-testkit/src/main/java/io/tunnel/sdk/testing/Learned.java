package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.testing.FaultsCore.Answer;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SessionControl;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the test kit learns of a client from the frames of the engine: the client's sessions and
 * channels, and whether the client broke a rule.
 */
final class Learned {

  /** Refusals that say that a batch is wrong. */
  private static final Set<ErrorCode> WRONG_BATCH =
      EnumSet.of(
          ErrorCode.INVALID_REQUEST,
          ErrorCode.CORRUPT,
          ErrorCode.KEY_MISMATCH,
          ErrorCode.ROW_TOO_LARGE,
          ErrorCode.BATCH_TOO_LARGE);

  private final Gate gate;

  /** The number of the client's connection. */
  private final int number;

  /** The last heartbeat of each open session. */
  private final Map<String, byte[]> heartbeats = new LinkedHashMap<>();

  private boolean isGreeted;

  /** A request that the engine serves, and what becomes of its answer. */
  @SuppressWarnings("ArrayRecordComponent") // The payload is passed on, and never compared.
  record Asked(Operation operation, byte[] payload, Answer answer) {}

  Learned(Gate gate, int number) {
    this.gate = gate;
    this.number = number;
  }

  /** Whether the engine has taken the client's greeting. */
  boolean isGreeted() {
    return isGreeted;
  }

  /** The payloads of the last heartbeats of all open sessions. */
  List<byte[]> heartbeats() {
    return List.copyOf(heartbeats.values());
  }

  /** The client sends a heartbeat. */
  void heartbeat(byte[] payload) {
    String session = Json.decode(payload, FailureControl.Heartbeat.class).sessionId();
    heartbeats.computeIfPresent(session, (id, former) -> payload);
  }

  /** The engine answers a request; returns whether this is the answer to the greeting. */
  boolean answered(Asked request, Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      refused(request, frame);
      return false;
    }
    granted(request, frame.payload());
    return request.operation() == Operation.HELLO;
  }

  /** The engine pushes a frame. */
  void pushed(Frame frame) {
    byte[] payload = frame.payload();
    if (frame.operation() == Operation.ASSIGN) {
      gate.rules().assigned(number, Json.decode(payload, SessionControl.Assignment.class));
    } else if (frame.operation() == Operation.REVOKE) {
      gate.rules().revoked(Json.decode(payload, SessionControl.Revocation.class).handle());
    } else if (frame.operation() == Operation.FENCE) {
      gate.found(gate.rules().fenced(Json.decode(payload, SessionControl.Fence.class)));
    } else if (frame.operation() == Operation.SESSION_END) {
      String session = Json.decode(payload, SessionControl.SessionEnd.class).sessionId();
      heartbeats.remove(session);
      gate.rules().ended(session);
    }
  }

  private void granted(Asked request, byte[] answer) {
    if (request.operation() == Operation.HELLO) {
      isGreeted = true;
    } else if (request.operation() == Operation.OPEN_SESSION) {
      String session = Json.decode(answer, SessionControl.SessionOpened.class).sessionId();
      heartbeats.put(session, Json.encode(new FailureControl.Heartbeat(session, List.of())));
    } else if (request.operation() == Operation.CLOSE_SESSION) {
      heartbeats.remove(Json.decode(request.payload(), SessionControl.SessionId.class).sessionId());
    } else if (request.operation() == Operation.OPEN_ROW_SESSION) {
      long session = Json.decode(answer, RowSessionControl.Opened.class).sessionId();
      var secret = Json.decode(request.payload(), RowSessionControl.Open.class).secret();
      gate.rowSessions().put(session, new RowSessionControl.Named(session, secret));
    } else if (request.operation() == Operation.ATTACH) {
      gate.rules()
          .attached(
              number,
              Json.decode(request.payload(), Attach.class),
              Json.decode(answer, Attached.class).handle());
    }
  }

  private void refused(Asked request, Frame frame) {
    ErrorPayload refusal = ErrorPayload.decode(frame.payload());
    if (request.operation() == Operation.WRITE && WRONG_BATCH.contains(refusal.code())) {
      gate.violations().add(Rule.BATCH, refusal.message());
    } else if (!isGreeted) {
      gate.violations().add(Rule.PROTOCOL, refusal.message());
    } else if (gate.isMalformed(refusal.message())) {
      gate.violations()
          .add(
              Rule.PROTOCOL,
              request.operation() + " with a malformed payload: " + refusal.message());
    } else if (refusal.code() == ErrorCode.INVALID_CHECKPOINT) {
      gate.violations().add(Rule.CHECKPOINT, refusal.message());
    }
  }
}
