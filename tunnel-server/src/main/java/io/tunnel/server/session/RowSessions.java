package io.tunnel.server.session;

import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.wire.control.RowSessionControl;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The row sessions of a server, or of a cluster whose catalog this node leads: opens, renews and
 * ends them, and has the rows of ended sessions deleted. For the control thread, but for {@link
 * #require}, {@link #admits}, {@link #whenRead} and {@link #count}.
 */
public final class RowSessions implements RowSessionHost {

  private static final Logger LOGGER = LoggerFactory.getLogger(RowSessions.class);

  /** Sessions of one page. */
  static final int PAGE_MAX = 500;

  /** Sessions whose rows are counted at once. */
  static final int COUNTED_MAX = PAGE_MAX;

  /** Milliseconds that a close waits for the rows of its session. */
  static final long CLOSE_WAIT_MS_MAX = 10_000;

  /** Milliseconds after which rows are counted again whose count has not come. */
  private static final long COUNT_WAIT_MS_MAX = 5_000;

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

  /** Until then no other count of rows begins; in the past without a count under way. */
  private long countingUntilMs = Long.MIN_VALUE;

  /** The number of the newest count; a count that comes late is not taken. */
  private long counts;

  /** True while a tick waits in the queue of the control thread. */
  private boolean isTickQueued;

  /** The rows that are bound to sessions. */
  public interface Rows {
    /** Deletes the rows of sessions that have ended; returns at once. */
    void unbind();

    /**
     * By session, how many rows are stored. Asked and completed on the control thread. A session is
     * missing whose rows cannot be counted now; of a session that has ended, 0 means that no row is
     * ever bound to the session again.
     */
    CompletableFuture<Map<Long, Long>> left(Set<Long> sessions);
  }

  /** Waits until a session has ended and its rows are deleted. */
  @FunctionalInterface
  public interface Ended {
    /** The session has ended, and its rows are deleted. */
    void ended();

    /** The session has ended or will end; whether its rows are deleted is not known in time. */
    default void refused(RefusedException unusedReason) {}
  }

  /** Who may keep sessions. */
  public interface Owners {

    /** On a server without authentication every client keeps sessions. */
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
  private record Closing(long session, long untilMs, Ended then) {}

  /**
   * Resumes from stored sessions: each lease begins now.
   *
   * @param control runs tasks on the control thread, one by one in their order
   */
  public RowSessions(RowSessionRecords records, Rows rows, LongSupplier nanos, Executor control) {
    this.records = records;
    this.rows = rows;
    this.nanos = nanos;
    this.control = control;
    this.core = new RowSessionCore(RowSessionCore.Limits.DEFAULTS);
    core.restore(records.all(), records.counted(), nowMs());
  }

  /** The store has learned that a write with an unknown outcome is stored. */
  public void adoptStored() {
    long nowMs = nowMs();
    records.all().forEach(session -> core.adopt(session, nowMs));
  }

  /** Refuses all that waits: another node leads the catalog. */
  public void resign() {
    RefusedException reason =
        RefusedException.notLeader(
            "this node does not lead the catalog any more", Optional.empty());
    List<Opening> unstored = List.copyOf(opening);
    opening.clear();
    unstored.forEach(each -> each.then().completeExceptionally(reason));
    List<Closing> unanswered = List.copyOf(closing);
    closing.clear();
    unanswered.forEach(each -> each.then().refused(reason));
  }

  @Override
  public RowSessions led() {
    return this;
  }

  @Override
  public void confirm(Runnable then, Consumer<RefusedException> unusedRefused) {
    then.run();
  }

  @Override
  public boolean admits(int unusedPartition, SessionProof proof, String principal) {
    require(proof, principal);
    return true;
  }

  @Override
  public void whenRead(
      int unusedPartition, long unusedSession, Consumer<Optional<RefusedException>> then) {
    then.accept(Optional.empty());
  }

  /** Sessions of principals that may not keep them end from now on. For any thread. */
  @Override
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
   * Has a tick run after the requests that wait for the control thread. So all of them share one
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
  public void close(RowSessionControl.Named session, String principal, Ended then) {
    long id = session.sessionId();
    boolean isOwn = records.has(id, SessionProof.hash(session.secret(), principal));
    if (core.isOpening(id) || (!isOwn && records.has(id))) {
      // No client knows the session yet, or it is that of another secret: it lives on, and no
      // request waits for its end.
      then.ended();
      return;
    }
    endThen(id, then);
  }

  private void endThen(long id, Ended then) {
    if (id > core.lastId()) {
      // So a client with ids of no sessions has nothing looked for.
      then.ended();
      return;
    }
    closing.add(new Closing(id, nowMs() + CLOSE_WAIT_MS_MAX, then));
    if (records.has(id)) {
      core.end(id);
      queueTick();
    } else {
      answerClosed();
    }
  }

  /**
   * Ends a session of whatever principal, for an operator. Does nothing to a session that has
   * ended.
   *
   * @param then called when the rows of the session are deleted
   */
  public void endByOperator(long id, Ended then) {
    if (core.isOpening(id)) {
      // No client knows the session, so no operator has seen it.
      then.ended();
    } else {
      endThen(id, then);
    }
  }

  /** Whose session it is; empty for one that no operator has seen. */
  public Optional<String> owner(long id) {
    return core.owner(id);
  }

  /**
   * The sessions behind an id, {@value #PAGE_MAX} at most; BUSY when their rows cannot be counted.
   */
  public CompletableFuture<RowSessionControl.SessionList> page(long afterId) {
    List<RowSessionCore.Shown> found = core.page(afterId, PAGE_MAX + 1, nowMs());
    List<RowSessionCore.Shown> shown = found.stream().limit(PAGE_MAX).toList();
    Set<Long> ids = new TreeSet<>();
    shown.forEach(each -> ids.add(each.session().id()));
    return rows.left(ids)
        .thenApply(
            left -> {
              if (!left.keySet().containsAll(ids)) {
                throw busy("the rows of all sessions cannot be counted now");
              }
              return new RowSessionControl.SessionList(
                  shown.stream().map(each -> info(each, left)).toList(), found.size() > PAGE_MAX);
            });
  }

  private static RefusedException busy(String what) {
    return new RefusedException(
        ErrorCode.BUSY, what + ": a partition has no leader, or a node does not answer; try again");
  }

  private static RowSessionControl.SessionInfo info(
      RowSessionCore.Shown shown, Map<Long, Long> left) {
    Session session = shown.session();
    return new RowSessionControl.SessionInfo(
        session.id(),
        session.principal(),
        session.leaseMs(),
        shown.leftMs(),
        left.get(session.id()));
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
   * second, and after requests to open and to close.
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
    answerClosed();
    long nowMs = nowMs();
    List<Closing> late = closing.stream().filter(each -> each.untilMs() <= nowMs).toList();
    closing.removeAll(late);
    late.forEach(
        each ->
            each.then()
                .refused(busy("the rows of session " + each.session() + " are not deleted yet")));
  }

  /** Counts the rows of sessions that have ended, and answers who waits for those without rows. */
  private void answerClosed() {
    Set<Long> ended = new TreeSet<>();
    for (Closing each : closing) {
      if (!records.has(each.session()) && ended.size() < COUNTED_MAX) {
        ended.add(each.session());
      }
    }
    if (ended.isEmpty() || nowMs() < countingUntilMs) {
      return;
    }
    countingUntilMs = nowMs() + COUNT_WAIT_MS_MAX;
    long own = ++counts;
    var unused =
        rows.left(ended)
            .whenComplete((left, failure) -> counted(own, failure == null ? left : Map.of()));
  }

  /** A session without a count is counted again by the next tick. */
  private void counted(long count, Map<Long, Long> left) {
    if (count != counts) {
      return;
    }
    countingUntilMs = Long.MIN_VALUE;
    List<Closing> gone =
        closing.stream().filter(each -> left.getOrDefault(each.session(), 1L) == 0).toList();
    closing.removeAll(gone);
    gone.forEach(each -> each.then().ended());
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
      LOGGER.warn(
          "cannot store the end of {} row sessions: {}; will retry", over.size(), e.toString());
      over.forEach(session -> core.refused(session.id()));
      return;
    }
    over.forEach(session -> core.removed(session.id()));
  }
}
