package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/** The committed changes of a partition, as its log shows them, and which of them may be lost. */
public final class PartitionTruth {

  private static final int READ_BYTES_MAX = 1 << 20;
  private static final int FOLD_KEPT_EVERY = 16;

  public final int id;
  private final List<Change> changes = new ArrayList<>();

  /** By change, a moment before its commit, as {@link #learn} was told. */
  private final List<Long> begun = new ArrayList<>();

  /** The rows at some positions, as starting points for the rows at other positions. */
  private final TreeMap<Long, RowFold> folds = new TreeMap<>();

  private final NumberedTruth.Rising numbered = new NumberedTruth.Rising();
  private final ChosenNumbers chosen = new ChosenNumbers();
  private final BoundTruth bound;
  private boolean hasUnbound;

  /** Expired rows that were deleted and not written again at once, since they were taken. */
  private int swept;

  /** How long rows live; 0 for ever. */
  private long ttlMicros;

  /** Whether commit times are the times that the clock showed. */
  private BooleanSupplier isClockTrue = () -> true;

  /** The rows behind all changes, where rows expire. */
  private RowFold present = new RowFold();

  /** How often changes were lost. */
  private long losses;

  /** How often the partition was restored. */
  private long restores;

  /** Changes that were committed, and that a loss of power has taken away, by their positions. */
  private final Map<Long, Set<String>> lost = new HashMap<>();

  private long acknowledged;
  private long acknowledgedSynced;

  /** The first position that the log keeps; whatever happens, it never falls. */
  private long first = 1;

  /**
   * A change as a record and as text.
   *
   * @param asked the change as its writer sent it: of an increment what is added, and no result
   * @param session the session that the change binds its row to
   */
  public record Change(StreamRecord record, String text, String asked, Optional<Long> session) {}

  public PartitionTruth(int id) {
    this.id = id;
    this.bound = new BoundTruth(id, true);
  }

  /** Rows expire so long after their last write. */
  void expires(long micros, BooleanSupplier whileClockIsTrue) {
    ttlMicros = micros;
    isClockTrue = whileClockIsTrue;
  }

  long ttlMicros() {
    return ttlMicros;
  }

  public long committed() {
    return changes.size();
  }

  public long first() {
    return first;
  }

  /** How often changes were lost with the power of a machine. */
  public long losses() {
    return losses;
  }

  /** How often the partition is of a restored server. */
  public long restores() {
    return restores;
  }

  /** Whether this change was committed at that position, and a loss of power took it away. */
  public boolean wasLost(long position, String text) {
    return lost.getOrDefault(position, Set.of()).contains(text);
  }

  /** The log keeps what is from a position on: everything before must have lived by a moment. */
  void trimmed(long from, long youngMicros) {
    Invariant.KEPT_AS_PROMISED.require(
        from >= first, "partition %d kept %d on, and keeps %d on now", id, first, from);
    for (long position = first; position < Math.min(from, committed() + 1); position++) {
      Invariant.KEPT_AS_PROMISED.require(
          begun.get((int) position - 1) < youngMicros,
          "partition %d has given up %d, which has lived since %d microseconds, not before %d",
          id,
          position,
          begun.get((int) position - 1),
          youngMicros);
    }
    first = from;
  }

  public Change at(long position) {
    return changes.get((int) position - 1);
  }

  /** A change as text; equal texts are equal changes. */
  public static String textOf(StreamRecord record) {
    String kind =
        record.getRecordType() + record.deletionCause().map(cause -> " " + cause).orElse("");
    return kind + " " + record.getPrimaryKey() + " " + record.getColumns();
  }

  public static List<Change> changesOf(ChangeBatch batch) {
    List<Change> changes = new ArrayList<>();
    RowCursor row = batch.rows();
    for (long position = batch.basePosition(); row.next(); position++) {
      StreamRecord record =
          new StreamRecord(batch, row.rowOffset(), position, RowFold.schema(row.keyBytes()));
      changes.add(new Change(record, textOf(record), Sums.askedOf(row, record), row.session()));
    }
    return changes;
  }

  /**
   * Takes in what the log has committed since; returns how many rows have expired.
   *
   * @param hasSession whether the catalog has a row session now
   * @param sinceMicros a moment before all of that was committed
   */
  public int learn(ChangeReader log, LongPredicate hasSession, long sinceMicros) {
    int expired = 0;
    long first = committed() + 1;
    long committed = log.committed(id);
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        committed >= committed(),
        "partition %d was committed up to %d and now ends at %d",
        id,
        committed(),
        committed);
    if (committed > committed()) {
      for (Change change : read(log, committed() + 1)) {
        long position = change.record().position();
        if (position > committed()) {
          Invariant.NO_GAP.require(
              position == committed() + 1,
              "partition %d has position %d behind %d",
              id,
              position,
              committed());
          boolean rises =
              changes.isEmpty()
                  || at(committed()).record().commitMicros() <= change.record().commitMicros();
          Invariant.COMMIT_TIME_RISES.require(rises, "partition %d at position %d", id, position);
          numbered.require(id, change.record());
          chosen.require(id, change.record());
          if (Sums.has(change)) {
            Sums.require(fold(committed()), change);
          }
          requireExpiry(change.record());
          hasUnbound |= bound.require(change, hasSession);
          expired += isExpiry(change.record()) ? 1 : 0;
          changes.add(change);
          begun.add(sinceMicros);
        }
      }
    }
    if (expired > 0) {
      sweep(first);
    }
    return expired;
  }

  /** Counts expired rows whose DELETE does not stand in front of a write of the row. */
  private void sweep(long first) {
    Set<PrimaryKey> written = new HashSet<>();
    for (long position = committed(); position >= first; position--) {
      StreamRecord change = at(position).record();
      if (!isExpiry(change)) {
        written.add(change.getPrimaryKey());
      } else if (!written.contains(change.getPrimaryKey())) {
        swept++;
      }
    }
  }

  /** How many expired rows were deleted that nobody wrote again, since the last call. */
  public int takeSwept() {
    int taken = swept;
    swept = 0;
    return taken;
  }

  /** When the last of the rows expires that are there; empty without a row. */
  public OptionalLong lastExpiresMicros() {
    return present.rows().keySet().stream()
        .mapToLong(key -> present.commitMicros(key) + ttlMicros)
        .max();
  }

  private static boolean isExpiry(StreamRecord change) {
    return change.deletionCause().equals(Optional.of(DeletionCause.EXPIRED));
  }

  /**
   * A row expires when its time to live is over, once, and before anything else is written to it.
   * The DELETE of a row that goes with its session may come first, and is then the only one.
   */
  private void requireExpiry(StreamRecord change) {
    Bytes key = RowFold.encode(change.getPrimaryKey());
    boolean isThere = ttlMicros > 0 && present.rows().containsKey(key);
    boolean isOver = isThere && present.commitMicros(key) + ttlMicros <= change.commitMicros();
    Invariant.EXPIRES_ONCE.require(
        isExpiry(change)
            ? isOver && change.getRecordType() == StreamRecord.RecordType.DELETE
            : !isOver || !isClockTrue.getAsBoolean() || change.deletionCause().isPresent(),
        "partition %d: %s at %d microseconds, and the row is %s",
        id,
        change,
        change.commitMicros(),
        isThere ? "of " + present.commitMicros(key) : "not there");
    if (ttlMicros > 0) {
      present.apply(change);
    }
  }

  /** Each row that was over a while ago has its DELETE. */
  public void requireExpired(long untilMicros) {
    for (Bytes key : present.rows().keySet()) {
      Invariant.EXPIRES_ONCE.require(
          present.commitMicros(key) + ttlMicros > untilMicros,
          "partition %d: row %s of %d microseconds is still there at %d",
          id,
          key,
          present.commitMicros(key),
          untilMicros);
    }
  }

  /** The largest number of the column that the server numbers, which a change of the log has. */
  public long largestNumber() {
    return chosen.largest();
  }

  /** Whether a row has gone with its session. */
  public boolean hasUnbound() {
    return hasUnbound;
  }

  /** No row is left of a session that has ended. */
  public void requireUnbound(LongPredicate hasSession) {
    bound.requireGone(hasSession);
  }

  /** The close of a row session is answered. */
  void requireClosed(long session) {
    bound.requireClosed(session);
  }

  private List<Change> read(ChangeReader log, long from) {
    List<Change> found = new ArrayList<>();
    try {
      for (long next = from; next <= log.committed(id); ) {
        Extents extents = log.plan(id, next, READ_BYTES_MAX);
        ByteBuffer bytes = ByteBuffer.allocate(extents.bytes());
        extents.read(bytes);
        for (int at = 0; at < bytes.capacity(); ) {
          ChangeBatch batch = ChangeBatch.parse(bytes.array(), at, bytes.capacity());
          found.addAll(changesOf(batch));
          at += batch.byteCount();
        }
        next = extents.lastPosition() + 1;
      }
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("the log of partition %d: %s", id, e);
    }
    return found;
  }

  /** The last position that a client was told. */
  public long acknowledged() {
    return acknowledged;
  }

  public void acknowledged(long last, boolean isSynced) {
    acknowledged = Math.max(acknowledged, last);
    if (isSynced) {
      acknowledgedSynced = Math.max(acknowledgedSynced, last);
    }
  }

  /**
   * The server was started again: compares its log with the log before the crash.
   *
   * @return how many changes are lost
   */
  public long recovered(ChangeReader log, boolean hadPowerLoss) {
    long before = committed();
    long now = Math.min(log.committed(id), before);
    long mustKeep = hadPowerLoss ? acknowledgedSynced : acknowledged;
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        now >= mustKeep,
        "partition %d had acknowledged position %d (%s) and after the restart ends at %d",
        id,
        mustKeep,
        hadPowerLoss ? "synced" : "written",
        now);
    long first = log.firstPosition(id);
    for (Change kept : now < first ? List.<Change>of() : read(log, first)) {
      long position = kept.record().position();
      if (position <= now) {
        Invariant.ACKNOWLEDGED_SURVIVES.require(
            kept.text().equals(at(position).text()),
            "position %d of partition %d was %s and after the restart is %s",
            position,
            id,
            at(position).text(),
            kept.text());
      }
    }
    losses += now < before ? 1 : 0;
    cut(now);
    settle();
    return before - now;
  }

  /** The changes behind a position are not there any more. */
  private void cut(long now) {
    for (long position = now + 1; position <= committed(); position++) {
      lost.computeIfAbsent(position, any -> new HashSet<>()).add(at(position).text());
    }
    changes.subList((int) now, changes.size()).clear();
    begun.subList((int) now, begun.size()).clear();
    folds.tailMap(now, false).clear();
    acknowledged = Math.min(acknowledged, now);
  }

  /** What follows from the changes is taken from the changes that are left. */
  private void settle() {
    present = ttlMicros > 0 ? fold(committed()) : present;
    numbered.clear();
    changes.forEach(change -> numbered.require(id, change.record()));
    chosen.clear();
    changes.forEach(change -> chosen.require(id, change.record()));
    bound.restart(changes);
  }

  /**
   * The partition is of a restored server: its log has what the backup had.
   *
   * @param acknowledged the last acknowledged position when the backup began
   * @param known the last committed position when the backup ended; later changes of the log were
   *     in flight then
   * @return the last position at which the log has the change that it had before the restore
   */
  public long restored(ChangeReader log, long acknowledged, long known) {
    long end = log.committed(id);
    Invariant.RESTORED_AS_BACKED_UP.require(
        end >= acknowledged,
        "partition %d had acknowledged position %d when the backup began, and is restored up to %d",
        id,
        acknowledged,
        end);
    first = log.firstPosition(id);
    List<Change> kept = end < first ? List.of() : read(log, first);
    long same = Math.min(end, committed());
    for (Change change : kept) {
      long position = change.record().position();
      if (position <= same && !change.text().equals(at(position).text())) {
        Invariant.RESTORED_AS_BACKED_UP.require(
            position > known,
            "position %d of partition %d was %s and is restored as %s",
            position,
            id,
            at(position).text(),
            change.text());
        same = position - 1;
      }
    }
    cut(same);
    acknowledgedSynced = Math.min(acknowledgedSynced, same);
    for (Change change : kept) {
      if (change.record().position() > committed()) {
        changes.add(change);
        begun.add(0L);
      }
    }
    settle();
    restores++;
    return same;
  }

  /**
   * A position given for a moment: changes from {@code first} to the position are before the
   * moment, and changes behind it are not.
   */
  public void requireSplit(long first, long position, long epochMs, String what) {
    for (long each = first; each <= committed(); each++) {
      long micros = at(each).record().commitMicros();
      Invariant.ENDED_MEANS_COMPLETE.require(
          each <= position == micros < epochMs * 1_000,
          "%s: %d ms is at position %d, and position %d was committed at %d microseconds",
          what,
          epochMs,
          position,
          each,
          micros);
    }
  }

  /** The rows that its changes up to a position leave; the caller's own. */
  public RowFold fold(long position) {
    Map.Entry<Long, RowFold> before = folds.floorEntry(position);
    RowFold fold = before == null ? new RowFold() : before.getValue().copy();
    for (long each = before == null ? 1 : before.getKey() + 1; each <= position; each++) {
      fold.apply(at(each).record());
      if (each % FOLD_KEPT_EVERY == 0) {
        folds.put(each, fold.copy());
      }
    }
    return fold;
  }
}
