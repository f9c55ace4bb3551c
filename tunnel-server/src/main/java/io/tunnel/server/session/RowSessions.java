package io.tunnel.server.session;

import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.wire.control.RowSessionControl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The row sessions of a server: opens, renews and ends them, and has the rows of ended sessions
 * deleted. For the control thread, but for {@link #require} and {@link #count}.
 */
public final class RowSessions {

  private static final Logger LOGGER = LoggerFactory.getLogger(RowSessions.class);

  private final RowSessionRecords records;
  private final Rows rows;
  private final LongSupplier nanos;
  private final RowSessionCore core;
  private final List<Closing> closing = new ArrayList<>();

  /** The rows that are bound to sessions. */
  public interface Rows {
    /** Deletes the rows of sessions that have ended; returns at once. */
    void unbind();

    /** How many rows of a session are stored. */
    long left(long session);
  }

  /** Who waits until a session has ended and its rows are deleted. */
  private record Closing(long session, Runnable then) {}

  /** Goes on from stored sessions: each lease begins now. */
  public RowSessions(RowSessionRecords records, Rows rows, LongSupplier nanos) {
    this.records = records;
    this.rows = rows;
    this.nanos = nanos;
    this.core = new RowSessionCore(RowSessionCore.Limits.DEFAULTS);
    core.restore(records.all(), records.lastId(), nowMs());
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
  }

  /**
   * Opens a session; a repetition with the same secret gets the same session.
   *
   * @param principal the empty text where clients have no names
   * @return the id
   * @throws io.tunnel.model.RefusedException INVALID_REQUEST, LIMIT_REACHED or SESSION_ENDED
   * @throws IOException when the catalog cannot store the session, which does not exist then
   */
  public long open(RowSessionControl.Open request, String principal) throws IOException {
    Bytes proof = SessionProof.hash(request.secret(), principal);
    Session session = core.open(principal, request.leaseMs(), proof, nowMs());
    if (core.isOpening(session.id())) {
      try {
        records.store(session, core.lastId());
      } catch (IOException | RuntimeException e) {
        core.refused(session.id());
        throw e;
      }
      core.stored(session.id(), nowMs());
    }
    return session.id();
  }

  /**
   * Renews the lease of a session.
   *
   * @throws io.tunnel.model.RefusedException SESSION_ENDED
   */
  public void renew(RowSessionControl.Named session, String principal) {
    core.renew(session.sessionId(), SessionProof.hash(session.secret(), principal), nowMs());
  }

  /**
   * Ends a session. Does nothing to a session that has ended, or that another secret opened.
   *
   * @param then called when the rows of the session are deleted
   */
  public void close(RowSessionControl.Named session, String principal, Runnable then) {
    long id = session.sessionId();
    boolean isOwn = records.has(id, SessionProof.hash(session.secret(), principal));
    if (!isOwn && records.has(id)) {
      // The session of another secret lives on, and nobody waits for its end.
      then.run();
      return;
    }
    core.end(id);
    closing.add(new Closing(id, then));
    tick();
  }

  /**
   * Refuses a batch whose writer does not have the session. For any thread.
   *
   * @throws io.tunnel.model.RefusedException SESSION_ENDED
   */
  public void require(SessionProof proof, String principal) {
    if (!records.has(proof.session(), SessionProof.hash(proof.secret(), principal))) {
      throw RowSessionCore.ended(proof.session());
    }
  }

  /** How many sessions there are. For any thread. */
  public int count() {
    return records.all().size();
  }

  /** Ends sessions whose lease is over; a few times a second. */
  public void tick() {
    List<Session> over = core.tick(nowMs());
    if (!over.isEmpty()) {
      end(over);
    }
    rows.unbind();
    for (Iterator<Closing> each = closing.iterator(); each.hasNext(); ) {
      Closing next = each.next();
      if (!records.has(next.session()) && rows.left(next.session()) == 0) {
        each.remove();
        next.then().run();
      }
    }
  }

  private void end(List<Session> over) {
    try {
      records.remove(over);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("cannot store the end of {} row sessions; will retry", over.size(), e);
      over.forEach(session -> core.refused(session.id()));
      return;
    }
    over.forEach(session -> core.removed(session.id()));
  }
}
