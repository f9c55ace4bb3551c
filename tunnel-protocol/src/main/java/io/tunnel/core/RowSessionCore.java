package io.tunnel.core;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The row sessions of a server: clients whose bound rows live as long as their leases are renewed.
 *
 * <p>The catalog has a record of each session, and a session has ended when the record is gone. So
 * this core proposes: {@link #open} and {@link #tick} return what is to be stored, and only {@link
 * #stored} and {@link #removed} make that true. Leases are in memory: after a restart each lease
 * begins again, so a session that was renewed in time survives a restart, and a session that no
 * client renews ends one lease after the last start.
 *
 * <p>No step costs more where there are more sessions, but for those that the step itself opens,
 * ends or shows.
 *
 * <p>Invariants: {@link #alive} has exactly the sessions of which the catalog has, or may have, a
 * record. A session that has left the set never returns. {@link #due} has exactly the sessions in
 * the state OPEN, {@link #over} exactly those in the state OVER.
 */
public final class RowSessionCore {

  private final Limits limits;
  private final TreeMap<Long, Known> sessions = new TreeMap<>();
  private final Map<Bytes, Long> byProof = new HashMap<>();
  private final Map<String, Set<Long>> byPrincipal = new HashMap<>();

  /** Sessions whose leases end by themselves, the next end first. */
  private final TreeSet<Known> due =
      new TreeSet<>(
          Comparator.<Known>comparingLong(known -> known.deadlineMs)
              .thenComparingLong(known -> known.session.id()));

  /** Sessions whose end is decided, and is proposed by the next tick. */
  private final Set<Known> over = new LinkedHashSet<>();

  /** The greatest id that was ever given; never falls. */
  private long lastId;

  /**
   * What bounds sessions.
   *
   * @param leaseMsMin the shortest lease
   * @param leaseMsMax the longest
   * @param ofPrincipalMax sessions of one principal; clients without a name have the limit of all
   * @param allMax sessions of all principals, which share the places by {@link FreeShare}
   */
  public record Limits(long leaseMsMin, long leaseMsMax, int ofPrincipalMax, int allMax) {

    /** The limits of a server, unless its configuration says otherwise. */
    public static final Limits DEFAULTS = new Limits(2_000, 3_600_000, 1_000, 10_000);
  }

  /**
   * A record of the catalog.
   *
   * @param proof a hash of the secret and the principal, by which a session is found again
   */
  public record Session(long id, String principal, long leaseMs, Bytes proof) {}

  /**
   * A session for an operator's eyes.
   *
   * @param leftMs until the lease ends; 0 for a session that is ending
   */
  public record Shown(Session session, long leftMs) {}

  /** Where a session is between its proposal and its end. */
  private enum State {
    /** The record is being stored: no client knows the session. */
    OPENING,
    /** The record is stored. */
    OPEN,
    /**
     * The end is decided, and is proposed by the next tick: no client renews the session any more.
     */
    OVER,
    /** The removal of the record is being stored. */
    ENDING
  }

  private static final class Known {
    private final Session session;
    private State state;

    /** Changes only while the session is not in {@link #due}. */
    private long deadlineMs;

    Known(Session session, State state, long deadlineMs) {
      this.session = session;
      this.state = state;
      this.deadlineMs = deadlineMs;
    }
  }

  /** Knows no session. */
  public RowSessionCore(Limits limits) {
    this.limits = limits;
  }

  /** Resumes from the records of the catalog; before all else. Each lease begins now. */
  public void restore(List<Session> stored, long storedLastId, long nowMs) {
    lastId = storedLastId;
    for (Session session : stored) {
      add(new Known(session, State.OPEN, nowMs + session.leaseMs()));
    }
  }

  /**
   * A record of the catalog whose store was in doubt is stored after all: the lease begins now.
   * Does nothing to a known session.
   */
  public void adopt(Session session, long nowMs) {
    if (!sessions.containsKey(session.id())) {
      add(new Known(session, State.OPEN, nowMs + session.leaseMs()));
    }
  }

  private void add(Known known) {
    Session session = known.session;
    sessions.put(session.id(), known);
    byProof.put(session.proof(), session.id());
    byPrincipal.computeIfAbsent(session.principal(), who -> new TreeSet<>()).add(session.id());
    lastId = Math.max(lastId, session.id());
    if (known.state == State.OPEN) {
      due.add(known);
    }
  }

  private void remove(Known known) {
    Session session = known.session;
    sessions.remove(session.id());
    byProof.remove(session.proof());
    Set<Long> own = byPrincipal.get(session.principal());
    own.remove(session.id());
    if (own.isEmpty()) {
      byPrincipal.remove(session.principal());
    }
  }

  private void move(Known known, State next) {
    if (known.state == State.OPEN) {
      due.remove(known);
    } else if (known.state == State.OVER) {
      over.remove(known);
    }
    known.state = next;
    if (next == State.OPEN) {
      due.add(known);
    } else if (next == State.OVER) {
      over.add(known);
    }
  }

  /** The greatest id that was given, which is to be stored with each session. */
  public long lastId() {
    return lastId;
  }

  /**
   * The session of a proof: the known one, renewed, where the request comes again, or else a new
   * one.
   *
   * @throws RefusedException INVALID_REQUEST for a lease out of bounds, LIMIT_REACHED where there
   *     are too many sessions, SESSION_ENDED where the session of this proof is ending
   */
  public Session open(String principal, long leaseMs, Bytes proof, long nowMs) {
    if (leaseMs < limits.leaseMsMin() || leaseMs > limits.leaseMsMax()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a lease of "
              + leaseMs
              + " ms; the lease of a session is "
              + limits.leaseMsMin()
              + " to "
              + limits.leaseMsMax()
              + " ms");
    }
    Long known = byProof.get(proof);
    if (known != null) {
      renew(known, proof, nowMs);
      return sessions.get(known).session;
    }
    requireRoom(principal);
    Session session = new Session(lastId + 1, principal, leaseMs, proof);
    add(new Known(session, State.OPENING, nowMs + leaseMs));
    return session;
  }

  private void requireRoom(String principal) {
    int own = byPrincipal.getOrDefault(principal, Set.of()).size();
    if (!principal.isEmpty() && own >= limits.ofPrincipalMax()) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "principal '"
              + principal
              + "' has "
              + own
              + " sessions, and may have "
              + limits.ofPrincipalMax()
              + "; close a session, or bind rows to an open one");
    }
    if (sessions.size() >= limits.allMax()) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "the server has " + sessions.size() + " sessions, and takes no more; try again later");
    }
    if (!principal.isEmpty() && !FreeShare.allows(own, 1, sessions.size(), limits.allMax())) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "principal '"
              + principal
              + "' has "
              + own
              + " sessions, and the server has "
              + sessions.size()
              + " of "
              + limits.allMax()
              + ": the other places are kept for other principals; close a session, or bind rows to"
              + " an open one");
    }
  }

  /** Whether the record of a session is still to be stored, so that no client is notified of it. */
  public boolean isOpening(long id) {
    return sessions.containsKey(id) && sessions.get(id).state == State.OPENING;
  }

  /** Whose session it is; empty for an unknown one, and before its record is stored. */
  public Optional<String> owner(long id) {
    return Optional.ofNullable(sessions.get(id))
        .filter(known -> known.state != State.OPENING)
        .map(known -> known.session.principal());
  }

  /** The record is stored: the lease begins now. */
  public void stored(long id, long nowMs) {
    Known known = sessions.get(id);
    if (known == null || known.state != State.OPENING) {
      throw new IllegalStateException("session " + id + " is stored, and is not opening");
    }
    known.deadlineMs = nowMs + known.session.leaseMs();
    move(known, State.OPEN);
  }

  /**
   * A sign of life.
   *
   * @throws RefusedException SESSION_ENDED for a session that has no record, is ending, or has
   *     another proof
   */
  public void renew(long id, Bytes proof, long nowMs) {
    Known known = sessions.get(id);
    boolean isThere = known != null && (known.state == State.OPENING || known.state == State.OPEN);
    if (!isThere || !known.session.proof().equals(proof)) {
      throw ended(id);
    }
    boolean isDue = due.remove(known);
    known.deadlineMs = Math.max(known.deadlineMs, nowMs + known.session.leaseMs());
    if (isDue) {
      due.add(known);
    }
  }

  /** The refusal of whatever names a session that has ended. */
  public static RefusedException ended(long id) {
    return new RefusedException(
        ErrorCode.SESSION_ENDED,
        "session "
            + id
            + " has ended, and its rows are gone; open another session, and write the rows again");
  }

  /** Decides that a session ends, whose end the next tick proposes. */
  public void end(long id) {
    Known known = sessions.get(id);
    if (known != null && known.state == State.OPEN) {
      move(known, State.OVER);
    }
  }

  /** Decides that all sessions of a principal end. */
  public void endAll(String principal) {
    List.copyOf(byPrincipal.getOrDefault(principal, Set.of())).forEach(this::end);
  }

  /** The principals that have sessions. */
  public Set<String> principals() {
    return Set.copyOf(byPrincipal.keySet());
  }

  /** The first {@code max} sessions after an id, in the order of their ids. */
  public List<Shown> page(long afterId, int max, long nowMs) {
    return sessions.tailMap(afterId, false).values().stream()
        .filter(known -> known.state != State.OPENING)
        .limit(max)
        .map(
            known ->
                new Shown(
                    known.session,
                    known.state == State.OPEN ? Math.max(0, known.deadlineMs - nowMs) : 0))
        .toList();
  }

  /** Proposes the end of each session whose lease is over, or whose end is decided. */
  public List<Session> tick(long nowMs) {
    while (!due.isEmpty() && due.first().deadlineMs <= nowMs) {
      move(due.first(), State.OVER);
    }
    List<Known> ending = List.copyOf(over);
    ending.forEach(known -> move(known, State.ENDING));
    return ending.stream().map(known -> known.session).toList();
  }

  /** The removal of a session's record is stored: the session has ended. */
  public void removed(long id) {
    Known known = sessions.get(id);
    if (known == null || known.state != State.ENDING) {
      throw new IllegalStateException("session " + id + " has ended, and was not ending");
    }
    remove(known);
  }

  /** The catalog did not store what was proposed: no record is there, or the record still is. */
  public void refused(long id) {
    Known known = sessions.get(id);
    if (known.state == State.OPENING) {
      remove(known);
    } else {
      move(known, State.OVER);
    }
  }

  /** The sessions whose rows are alive. */
  public Set<Long> alive() {
    Set<Long> alive = new HashSet<>();
    sessions.forEach(
        (id, known) -> {
          if (known.state != State.OPENING) {
            alive.add(id);
          }
        });
    return Set.copyOf(alive);
  }
}
