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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
  private final Executor control;
  private final RowSessionCore core;
  private final List<Opening> opening = new ArrayList<>();
  private final List<Closing> closing = new ArrayList<>();

  /** True while a tick waits in the queue of the control thread. */
  private boolean isTickQueued;

  /** The rows that are bound to sessions. */
  public interface Rows {
    /** Deletes the rows of sessions that have ended; returns at once. */
    void unbind();

    /** How many rows of a session are stored. */
    long left(long session);
  }

  /** Who waits until a new session is stored. */
  private record Opening(Session session, CompletableFuture<Long> then) {}

  /** Who waits until a session has ended and its rows are deleted. */
  private record Closing(long session, Runnable then) {}

  /**
   * Goes on from stored sessions: each lease begins now.
   *
   * @param control runs tasks on the control thread, one by one in their order
   */
  public RowSessions(RowSessionRecords records, Rows rows, LongSupplier nanos, Executor control) {
    this.records = records;
    this.rows = rows;
    this.nanos = nanos;
    this.control = control;
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
   * @return the id, as soon as the session is stored; an IOException or RuntimeException when the
   *     catalog cannot store the session, which does not exist then
   * @throws io.tunnel.model.RefusedException INVALID_REQUEST, LIMIT_REACHED or SESSION_ENDED
   */
  public CompletableFuture<Long> open(RowSessionControl.Open request, String principal) {
    Bytes proof = SessionProof.hash(request.secret(), principal);
    Session session = core.open(principal, request.leaseMs(), proof, nowMs());
    if (!core.isOpening(session.id())) {
      return CompletableFuture.completedFuture(session.id());
    }
    CompletableFuture<Long> then = new CompletableFuture<>();
    opening.add(new Opening(session, then));
    queueTick();
    return then;
  }

  /**
   * Has a tick run behind the requests that wait for the control thread. So all of them share one
   * write of the catalog, and a client that opens or closes thousands of sessions at once does not
   * hold up the renewals of other clients.
   */
  private void queueTick() {
    if (isTickQueued) {
      return;
    }
    isTickQueued = true;
    control.execute(
        () -> {
          isTickQueued = false;
          tick();
        });
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
    if (core.isOpening(id) || (!isOwn && records.has(id))) {
      // Nobody was told of the session yet, or it is that of another secret: it lives on, and
      // nobody waits for its end.
      then.run();
      return;
    }
    core.end(id);
    closing.add(new Closing(id, then));
    queueTick();
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

  /**
   * Stores new sessions, and ends those that were closed or whose lease is over; a few times a
   * second, and behind requests to open and to close.
   */
  public void tick() {
    storeOpening();
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

  private void storeOpening() {
    if (opening.isEmpty()) {
      return;
    }
    List<Opening> all = List.copyOf(opening);
    opening.clear();
    // A repeated request waits for the same session.
    List<Session> stored = all.stream().map(Opening::session).distinct().toList();
    try {
      records.store(stored, core.lastId());
    } catch (IOException | RuntimeException e) {
      stored.forEach(session -> core.refused(session.id()));
      all.forEach(each -> each.then().completeExceptionally(e));
      return;
    }
    long nowMs = nowMs();
    stored.forEach(session -> core.stored(session.id(), nowMs));
    all.forEach(each -> each.then().complete(each.session().id()));
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
