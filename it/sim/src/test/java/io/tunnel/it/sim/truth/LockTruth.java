package io.tunnel.it.sim.truth;

import io.tunnel.sdk.RowSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/** The locks that programs were told to have: rows that must not exist, bound to sessions. */
public final class LockTruth {

  private final Map<Long, List<Held>> heldById = new HashMap<>();

  /** A lock that a program was told to have. */
  public static final class Held {
    private final RowSession session;
    private final long number;
    private boolean isGivenBack;

    private Held(RowSession session, long number) {
      this.session = session;
      this.number = number;
    }

    /** The program is about to delete the row of the lock. */
    public void givenBack() {
      isGivenBack = true;
    }

    private boolean isHeld() {
      return !isGivenBack && session.isOpen();
    }
  }

  /**
   * A program is told that it has a lock. A program whose session is not open any more does not
   * believe that.
   *
   * @param number the fencing number
   */
  public Held taken(long id, RowSession session, long number) {
    Held held = new Held(session, number);
    List<Held> others = heldById.computeIfAbsent(id, any -> new ArrayList<>());
    if (session.isOpen()) {
      for (Held other : others) {
        Invariant.ONE_LOCK_OWNER.require(
            !other.isHeld(),
            "session %d has lock %d with number %d, and session %d has it with number %d",
            session.id(),
            id,
            number,
            other.session.id(),
            other.number);
        Invariant.ONE_LOCK_OWNER.require(
            other.number < number,
            "lock %d has number %d after number %d",
            id,
            number,
            other.number);
      }
    }
    others.add(held);
    return held;
  }

  /**
   * The server was restored from a backup that has none of these locks, or has ended the sessions
   * that held them: their owners learn that at the next renewal.
   */
  public void restored() {
    heldById.clear();
  }

  /**
   * The server was restored longer ago than a lease: it may lack any row of a session of before, so
   * the program knows that the session has ended.
   */
  public static void requireEnded(RowSession session) {
    Invariant.RESTORED_AS_BACKED_UP.require(
        !session.isOpen(),
        "session %d is open for its program, and was opened before the server was restored",
        session.id());
  }

  /**
   * A program believes in its session no longer than the server has it.
   *
   * @param hasSession whether the server has a session
   */
  public static void requireKnown(RowSession session, LongPredicate hasSession) {
    Invariant.ONE_LOCK_OWNER.require(
        !session.isOpen() || hasSession.test(session.id()),
        "session %d is open for its program, and has ended at the server",
        session.id());
  }
}
