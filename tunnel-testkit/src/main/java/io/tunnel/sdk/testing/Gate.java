package io.tunnel.sdk.testing;

import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.engine.EngineInMemory;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl.Named;
import io.tunnel.wire.control.SessionControl.Fence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Stands between all clients and the engine: faults, the rules of a strict service, keys, and
 * deliveries that wait. For the service's thread.
 */
final class Gate {

  private final Loop loop;
  private final Violations violations = new Violations();
  private final Keys keys = new Keys();
  private final FaultsCore<Peer.Arrived> faults = new FaultsCore<>();
  private final RulesCore rules = new RulesCore(TakeReason.DEADLINE.text());
  private final Map<Integer, Peer> peers = new LinkedHashMap<>();

  /** Sessions of bound rows by their ids, with the secrets that renew them. */
  private final Map<Long, Named> rowSessions = new LinkedHashMap<>();

  private EngineInMemory engine;
  private Inside inside;
  private int lastPeer;
  private boolean isHoldingBack;

  /** The engine's reason for its last refusal of a malformed payload; empty before the first. */
  private String malformed = "";

  /** Starts an engine without tables. */
  Gate(Loop loop) {
    this.loop = loop;
    open(
        EngineInMemory.begin(
            new EngineInMemory.Owner(loop.later(), reason -> malformed = String.valueOf(reason))));
  }

  private void open(EngineInMemory next) {
    engine = next;
    loop.runs(next);
    inside = new Inside(loop, next);
  }

  Violations violations() {
    return violations;
  }

  Keys keys() {
    return keys;
  }

  FaultsCore<Peer.Arrived> faults() {
    return faults;
  }

  RulesCore rules() {
    return rules;
  }

  EngineInMemory engine() {
    return engine;
  }

  Inside inside() {
    return inside;
  }

  Map<Long, Named> rowSessions() {
    return rowSessions;
  }

  boolean isHoldingBack() {
    return isHoldingBack;
  }

  /** Whether the engine refuses a malformed payload with this message. */
  boolean isMalformed(String message) {
    return malformed.equals(message);
  }

  void found(Optional<RulesCore.Violation> violation) {
    violation.ifPresent(broken -> violations.add(broken.rule(), broken.what()));
  }

  /** A handler for a new connection. */
  Peer newPeer() {
    return new Peer(this, ++lastPeer);
  }

  void touch() {
    loop.touch();
  }

  void connected(Peer peer) {
    peers.put(peer.number(), peer);
  }

  void disconnected(Peer peer) {
    peers.remove(peer.number());
    rules.disconnected(peer.number());
  }

  private List<Peer> peers() {
    return new ArrayList<>(peers.values());
  }

  void loseConnections() {
    peers().forEach(Peer::close);
  }

  void revoke(String keyId) {
    keys.remove(keyId);
    peers().forEach(peer -> peer.revoked(keyId));
  }

  void holdBack(boolean holds) {
    isHoldingBack = holds;
    if (!holds) {
      peers().forEach(Peer::release);
    }
  }

  /** Lets time pass, and serves the requests whose delay is over, each at its own time. */
  void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("time does not go back by " + duration.negated());
    }
    long end = engine.epochMicros() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    for (var due = faults.due(end); due.isPresent(); due = faults.due(end)) {
      advanceTo(due.get().micros());
      due.get().request().serve();
      loop.settle();
    }
    advanceTo(end);
  }

  private void advanceTo(long micros) {
    long left = micros - engine.epochMicros();
    if (left > 0) {
      engine.advance(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(left)));
    }
  }

  /** Renews all sessions as their clients would. */
  void renewAll() {
    peers().forEach(Peer::renewAll);
    for (Named session : new ArrayList<>(rowSessions.values())) {
      try {
        var unused = inside.request(Operation.RENEW_ROW_SESSION, Json.encode(session));
      } catch (RefusedException e) {
        // The session has ended.
        rowSessions.remove(session.sessionId());
      }
    }
  }

  /** Serves a write whose connection was lost meanwhile; nobody waits for the answer. */
  void serveLate(Frame write) {
    inside.send(Operation.WRITE, write.payload());
  }

  /** Tells the holder of a channel that the channel cannot be delivered any more. */
  void breaks(String channelId, RefusedException reason) {
    Optional<RulesCore.Holder> broken = rules.breaks(channelId);
    if (broken.isEmpty()) {
      return;
    }
    RulesCore.Holder holder = broken.get();
    if (holder.delivered().isPresent()) {
      RulesCore.Delivered to = holder.delivered().get();
      peers.get(to.connection()).refuse(Operation.DELIVER.code(), to.handle(), reason);
    } else {
      peers
          .get(holder.connection())
          .push(
              Operation.FENCE,
              new Fence(holder.sessionId(), holder.handle(), holder.epoch(), reason.getMessage()));
    }
  }

  /** The server's process dies, or its machine, and another one starts. */
  void crash(boolean losesUnsynced) {
    EngineInMemory next = engine.afterDeath(losesUnsynced);
    faults.crashed();
    rules.crashed();
    loseConnections();
    inside.close();
    open(next);
  }

  static RefusedException notAsked() {
    return new RefusedException(
        ErrorCode.NOT_PERMITTED,
        "the test changes the keys of the test kit: withKey and revokeKey");
  }
}
