package io.tunnel.server.session;

import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.wire.control.RowSessionControl;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
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

  /** Sessions of one page. */
  static final int PAGE_MAX = 500;

  /** Principals whose rights one tick looks at. */
  private static final int SUSPECTS_MAX = 4;

  private final RowSessionRecords records;
  private final Rows rows;
  private final LongSupplier nanos;
  private final Executor control;
  private final RowSessionCore core;
  private final List<Opening> opening = new ArrayList<>();

  /** Principals whose rights changed, or may have, and are to be looked at. */
  private final Queue<String> suspects = new ArrayDeque<>();

  /** The {@link Owners#mark} at which {@link #suspects} were taken. */
  private Object mark = Owners.ANYBODY;

  /** Set before clients come, read by the control thread. */
  private volatile Owners owners = Owners.ANYBODY;

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

  /** Who may keep sessions. */
  public interface Owners {

    /** On a server without authentication everybody keeps sessions. */
    Owners ANYBODY =
        new Owners() {
          @Override
          public Object mark() {
            return this;
          }

          @Override
          public boolean mayKeep(String principal) {
            return true;
          }
        };

    /** An object that equals no earlier one after a change of keys or rights. */
    Object mark();

    /** Whether a principal has a key, if it needs one, and may write to a table. */
    boolean mayKeep(String principal);
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

  /** Sessions of principals that may not keep them end from now on. For any thread. */
  public void ownedBy(Owners known) {
    owners = known;
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
          if (storeAndEnd() || !closing.isEmpty()) {
            unbind();
          }
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
    endThen(id, then);
  }

  private void endThen(long id, Runnable then) {
    if (!records.has(id) && rows.left(id) == 0) {
      // So a client with ids of no sessions has nothing looked for.
      then.run();
      return;
    }
    core.end(id);
    closing.add(new Closing(id, then));
    queueTick();
  }

  /**
   * Ends a session of whatever principal, for an operator. Does nothing to a session that has
   * ended.
   *
   * @param then called when the rows of the session are deleted
   */
  public void endByOperator(long id, Runnable then) {
    if (core.isOpening(id)) {
      // Nobody was told of the session, so no operator has seen it.
      then.run();
    } else {
      endThen(id, then);
    }
  }

  /** Whose session it is; empty for one that no operator has seen. */
  public Optional<String> owner(long id) {
    return core.owner(id);
  }

  /** The sessions behind an id, {@value #PAGE_MAX} at most. */
  public RowSessionControl.SessionList page(long afterId) {
    List<RowSessionCore.Shown> found = core.page(afterId, PAGE_MAX + 1, nowMs());
    return new RowSessionControl.SessionList(
        found.stream().limit(PAGE_MAX).map(this::info).toList(), found.size() > PAGE_MAX);
  }

  private RowSessionControl.SessionInfo info(RowSessionCore.Shown shown) {
    Session session = shown.session();
    return new RowSessionControl.SessionInfo(
        session.id(),
        session.principal(),
        session.leaseMs(),
        shown.leftMs(),
        rows.left(session.id()));
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
    return records.count();
  }

  /**
   * Stores new sessions, and ends those that were closed or whose lease is over; a few times a
   * second, and behind requests to open and to close.
   */
  public void tick() {
    endWithdrawn();
    var unused = storeAndEnd();
    unbind();
  }

  /** Stores new sessions and the ends of sessions; returns whether any session ends. */
  private boolean storeAndEnd() {
    storeOpening();
    List<Session> over = core.tick(nowMs());
    if (!over.isEmpty()) {
      end(over);
    }
    return !over.isEmpty();
  }

  private void unbind() {
    rows.unbind();
    for (Iterator<Closing> each = closing.iterator(); each.hasNext(); ) {
      Closing next = each.next();
      if (!records.has(next.session()) && rows.left(next.session()) == 0) {
        each.remove();
        next.then().run();
      }
    }
  }

  /**
   * Ends sessions of principals that may not keep them any more, a few principals at a time, so
   * that requests do not wait for the decisions about all of them.
   */
  private void endWithdrawn() {
    Object now = owners.mark();
    if (!now.equals(mark)) {
      mark = now;
      suspects.clear();
      suspects.addAll(core.principals());
    }
    for (int i = 0; i < SUSPECTS_MAX && !suspects.isEmpty(); i++) {
      String principal = suspects.remove();
      if (!principal.isEmpty() && !owners.mayKeep(principal)) {
        LOGGER.info(
            "ending the row sessions of '{}': it has no key, or may write to no table", principal);
        core.endAll(principal);
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
