package io.tunnel.it.sim.truth;

import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;

/** Whose the rows of a partition are, as the changes of its log say. */
public final class BoundTruth {

  private final int partition;
  private final boolean isAlone;
  private final Map<Bytes, Long> sessions = new HashMap<>();

  /** Closed sessions, and sessions with a DELETE here: no row of these comes later. */
  private final Set<Long> gone = new HashSet<>();

  /**
   * No row is bound yet.
   *
   * @param isAlone whether who binds rows is also who ends sessions. A leader of a cluster may bind
   *     a row when the end of the session is stored already, but behind no DELETE of the session.
   */
  public BoundTruth(int partition, boolean isAlone) {
    this.partition = partition;
    this.isAlone = isAlone;
  }

  private static Bytes key(Change change) {
    return RowFold.encode(change.record().getPrimaryKey());
  }

  /**
   * A row goes with its session, when the end of the session is stored and the row is still bound
   * to it; behind the end, no row is bound to the session.
   *
   * @param hasSession whether the catalog has the session
   * @return whether the change is such a DELETE
   */
  public boolean require(Change change, LongPredicate hasSession) {
    Long owner = sessions.get(key(change));
    boolean goes = change.record().deletionCause().equals(Optional.of(DeletionCause.SESSION_ENDED));
    if (goes) {
      Invariant.BOUND_ROWS_GO.require(
          change.record().getRecordType() == RecordType.DELETE
              && owner != null
              && !hasSession.test(owner),
          "partition %d: %s of a row that is of session %s",
          partition,
          change.record(),
          owner);
      gone.add(owner);
    }
    change
        .session()
        .ifPresent(
            session ->
                Invariant.BOUND_ROWS_GO.require(
                    isAlone ? hasSession.test(session) : !gone.contains(session),
                    "partition %d: %s is bound to session %d, which has ended",
                    partition,
                    change.record(),
                    session));
    apply(change);
    return goes;
  }

  private void apply(Change change) {
    change
        .session()
        .ifPresentOrElse(
            session -> sessions.put(key(change), session), () -> sessions.remove(key(change)));
  }

  /** The log has lost its end: these changes are left. */
  void restart(Iterable<Change> changes) {
    sessions.clear();
    changes.forEach(this::apply);
  }

  /** No row is left of a session whose close is answered. */
  public void requireClosed(long closed) {
    gone.add(closed);
    Invariant.CLOSED_MEANS_GONE.require(
        !sessions.containsValue(closed),
        "partition %d: the close of session %d is answered, and rows of it are there",
        partition,
        closed);
  }

  /** No row is left of a session that has ended. */
  public void requireGone(LongPredicate hasSession) {
    sessions.forEach(
        (key, session) ->
            Invariant.BOUND_ROWS_GO.require(
                hasSession.test(session),
                "partition %d: row %s of session %d is still there",
                partition,
                key,
                session));
  }
}
