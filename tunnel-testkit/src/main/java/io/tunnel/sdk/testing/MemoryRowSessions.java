package io.tunnel.sdk.testing;

import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The sessions of bound rows, decided by the server's core. */
final class MemoryRowSessions {

  private final VirtualTime time;
  private final Collection<MemoryTable> tables;
  private final NavigableMap<Long, Session> sessions = new TreeMap<>();
  private RowSessionCore core = new RowSessionCore(RowSessionCore.Limits.DEFAULTS);

  /** Sessions whose rows are in {@code tables}. */
  MemoryRowSessions(VirtualTime time, Collection<MemoryTable> tables) {
    this.time = time;
    this.tables = tables;
  }

  /** Serves a request of a client; returns the answer. */
  byte[] serve(Operation operation, byte[] payload, Peer peer) {
    String principal = principal(peer);
    if (operation == Operation.OPEN_ROW_SESSION) {
      long id = open(Json.decode(payload, RowSessionControl.Open.class), principal);
      return Json.encode(new RowSessionControl.Opened(id));
    }
    if (operation == Operation.LIST_ROW_SESSIONS) {
      return Json.encode(page(Json.decode(payload, RowSessionControl.After.class).sessionId()));
    }
    if (operation == Operation.END_ROW_SESSION) {
      end(Json.decode(payload, RowSessionControl.Numbered.class).sessionId());
      return Json.encode(new Control.Empty());
    }
    RowSessionControl.Named session = Json.decode(payload, RowSessionControl.Named.class);
    Bytes proof = SessionProof.hash(session.secret(), principal);
    if (operation == Operation.RENEW_ROW_SESSION) {
      core.renew(session.sessionId(), proof, time.ms());
    } else if (has(session.sessionId(), proof)) {
      end(session.sessionId());
    }
    return Json.encode(new Control.Empty());
  }

  private RowSessionControl.SessionList page(long afterId) {
    List<RowSessionControl.SessionInfo> infos =
        core.page(afterId, Integer.MAX_VALUE, time.ms()).stream().map(this::info).toList();
    return new RowSessionControl.SessionList(infos, false);
  }

  private RowSessionControl.SessionInfo info(RowSessionCore.Shown shown) {
    Session session = shown.session();
    long rows =
        tables.stream()
            .flatMap(table -> table.partitions().stream())
            .mapToLong(partition -> partition.boundRows(session.id()))
            .sum();
    return new RowSessionControl.SessionInfo(
        session.id(), session.principal(), session.leaseMs(), shown.leftMs(), rows);
  }

  private static String principal(Peer peer) {
    return peer.principal().orElse("");
  }

  private long open(RowSessionControl.Open request, String principal) {
    Bytes proof = SessionProof.hash(request.secret(), principal);
    Session session = core.open(principal, request.leaseMs(), proof, time.ms());
    if (core.isOpening(session.id())) {
      core.stored(session.id(), time.ms());
      sessions.put(session.id(), session);
    }
    return session.id();
  }

  /** Ends a session as the end of its lease does. */
  void end(long session) {
    core.end(session);
    tick();
  }

  private boolean has(long id, Bytes proof) {
    return sessions.containsKey(id) && sessions.get(id).proof().equals(proof);
  }

  /** Refuses a batch whose writer does not have the session. */
  void require(SessionProof proof, Peer peer) {
    if (!has(proof.session(), SessionProof.hash(proof.secret(), principal(peer)))) {
      throw RowSessionCore.ended(proof.session());
    }
  }

  /** The ids of the sessions that have not ended. */
  List<Long> ids() {
    return List.copyOf(sessions.keySet());
  }

  /** As if each client renewed now. */
  void renewAll() {
    sessions.forEach((id, session) -> core.renew(id, session.proof(), time.ms()));
  }

  /** Ends sessions whose lease is over, and deletes their rows. */
  void tick() {
    for (Session over : core.tick(time.ms())) {
      sessions.remove(over.id());
      core.removed(over.id());
      tables.forEach(
          table -> table.partitions().forEach(partition -> partition.endSession(over.id(), time)));
    }
  }

  /** The server starts again: each lease begins now. */
  void restarted() {
    long lastId = core.lastId();
    core = new RowSessionCore(RowSessionCore.Limits.DEFAULTS);
    core.restore(List.copyOf(sessions.values()), lastId, time.ms());
  }
}
