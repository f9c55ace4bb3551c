package io.tunnel.sdk;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The row sessions of one client. Thread-safe. */
final class ClientSessions {

  private final RowSession.Wiring wiring;
  private final Set<RowSession> open = ConcurrentHashMap.newKeySet();

  ClientSessions(RowSession.Wiring wiring) {
    this.wiring = wiring;
  }

  /**
   * Opens a session, which renews its lease from now on.
   *
   * @throws IllegalStateException on a callback thread; nothing was sent then
   */
  RowSession open(Duration lease) {
    EventLoops.requireMayBlock("waiting for " + Operation.OPEN_ROW_SESSION);
    return Caller.await(opening(lease));
  }

  /** As {@link #open} without waiting. */
  CompletableFuture<RowSession> opening(Duration lease) {
    Bytes secret = wiring.caller().secret(SessionProof.SECRET_BYTES);
    long askedNanos = wiring.ticker().nanos();
    byte[] request =
        Json.encode(new RowSessionControl.Open(TimeUnit.MILLISECONDS.convert(lease), secret));
    return wiring
        .caller()
        .ask(Subject.CATALOG, Operation.OPEN_ROW_SESSION, request)
        .thenApply(
            answer -> {
              RowSessionControl.Opened opened =
                  Json.decode(answer.payload(), RowSessionControl.Opened.class);
              SessionProof proof = new SessionProof(opened.sessionId(), secret);
              return begun(proof, lease, askedNanos);
            });
  }

  private RowSession begun(SessionProof proof, Duration lease, long askedNanos) {
    RowSession session = new RowSession(wiring, proof, lease, askedNanos);
    open.add(session);
    var unused = session.ended().thenRun(() -> open.remove(session));
    session.begin();
    return session;
  }

  /** Ends all sessions; waits for the answers for a moment at most, for all sessions together. */
  void close() {
    CompletableFuture.allOf(
            open.stream().map(RowSession::closeAtOnce).toArray(CompletableFuture<?>[]::new))
        .join();
  }
}
