package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.judge.BoundPlaces.Places;
import io.tunnel.server.partition.judge.ConditionCore.Judged;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;

/**
 * The rows of a shard that are bound to a session: exactly the rows whose last write bound them.
 * Limits keep bound rows few, so the shard has all their keys in memory, and a write of other rows
 * reads no bound row. The write to the table that folds a group of batches stores the bindings of
 * the group, unless an earlier write did; the log has what the table lacks. For the shard's thread,
 * but for {@link #left}.
 *
 * <p>Invariant: {@link #byPartition}, {@link #bySession}, {@link #held} and {@link #places} have
 * the same rows.
 */
public final class BoundRows {

  /** Bound rows of a shard, which principals share by {@link io.tunnel.core.FreeShare}. */
  public static final int ROWS_MAX = 100_000;

  /** Bytes of the keys of a shard's bound rows, which principals share in the same way. */
  public static final long KEY_BYTES_MAX = 32L << 20;

  /** By partition and key, the session; partitions without bound rows are absent. */
  private final Map<Integer, TreeMap<Bytes, Long>> byPartition = new HashMap<>();

  /** The keys of a session's rows; sessions without rows are absent. */
  private final TreeMap<Place, TreeSet<Bytes>> bySession = new TreeMap<>();

  /** By session, its rows in all partitions of the shard. */
  private final Map<Long, Held> held = new ConcurrentHashMap<>();

  /** By session, rows that are {@linkplain #reserve reserved}; sessions without any are absent. */
  private final Map<Long, Integer> reserved = new ConcurrentHashMap<>();

  private final BoundPlaces places;
  private final LongFunction<Optional<String>> owners;

  /** What the table does not have yet. */
  private final Map<Bytes, Bytes> raised = new HashMap<>();

  /**
   * The rows of a session.
   *
   * @param owner as it was when the first of them was bound: its places are given back to this
   *     owner, also when the session has ended
   */
  private record Held(String owner, int rows) {
    Held plus(int more) {
      return new Held(owner, rows + more);
    }
  }

  /**
   * What a batch binds, at most.
   *
   * @param toSession rows that its session does not have
   * @param toOwner rows that no session of the owner has
   * @param toAll rows that are not bound
   */
  private record Asked(int toSession, Places toOwner, Places toAll) {}

  /** The rows of a session in a partition. */
  private record Place(long session, int partition) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int order = Long.compare(session, other.session);
      return order == 0 ? Integer.compare(partition, other.partition) : order;
    }
  }

  /**
   * Rows whose sessions have ended.
   *
   * @param keys at least one
   */
  public record Ended(int partition, List<Bytes> keys) {}

  /**
   * Resumes from stored rows.
   *
   * @param stored what {@link #takeRaised} gave before
   * @param owners whose a session is, at the time of the question: the empty text where clients
   *     have no names, and empty for a session that has ended
   */
  public BoundRows(Map<Bytes, Bytes> stored, LongFunction<Optional<String>> owners) {
    this(stored, owners, new BoundPlaces(ROWS_MAX, KEY_BYTES_MAX));
  }

  /** As the public constructor, with other limits. */
  BoundRows(Map<Bytes, Bytes> stored, LongFunction<Optional<String>> owners, BoundPlaces places) {
    this.owners = owners;
    this.places = places;
    stored.forEach(
        (row, session) -> {
          byte[] bytes = row.toByteArray();
          bind(
              Binary.getInt(bytes, 0),
              Bytes.copyOf(bytes, Integer.BYTES, bytes.length - Integer.BYTES),
              SessionProof.session(session));
        });
    raised.clear();
  }

  /** The table has these bound rows of a partition, by key; nothing is known of the partition. */
  public void restore(int partition, Map<Bytes, Bytes> stored) {
    stored.forEach(
        (key, session) -> {
          bind(partition, key, SessionProof.session(session));
          raised.remove(row(partition, key));
        });
  }

  /** Of a shard whose server has no sessions. */
  public static BoundRows none() {
    return new BoundRows(Map.of(), session -> Optional.empty());
  }

  /** Whether any row of a partition is bound. */
  public boolean has(int partition) {
    return byPartition.containsKey(partition);
  }

  /**
   * How many rows of a session the shard has, or may get from writes that are under way. When the
   * session has ended and none is left, no row is ever bound to the session again. For any thread.
   */
  public int left(long session) {
    // In this order: saw() counts a row before unreserve() forgets the row.
    int underWay = reserved.getOrDefault(session, 0);
    Held rows = held.get(session);
    return underWay + (rows == null ? 0 : rows.rows());
  }

  /**
   * How many rows of a session are in some partitions, or may get into any partition by writes that
   * are under way.
   */
  public long left(long session, IntPredicate partitions) {
    long rows = reserved.getOrDefault(session, 0);
    Place first = new Place(session, Integer.MIN_VALUE);
    Place last = new Place(session, Integer.MAX_VALUE);
    for (Map.Entry<Place, TreeSet<Bytes>> each :
        bySession.subMap(first, true, last, true).entrySet()) {
      if (partitions.test(each.getKey().partition())) {
        rows += each.getValue().size();
      }
    }
    return rows;
  }

  private boolean isAlive(long session) {
    return owners.apply(session).isPresent();
  }

  /** Whether any bound row belongs to a session that has ended. For any thread. */
  public boolean hasEnded() {
    return held.keySet().stream().anyMatch(session -> !isAlive(session));
  }

  /**
   * Refuses a batch whose session has ended, or that would bind too many rows.
   *
   * @throws RefusedException SESSION_ENDED or LIMIT_REACHED
   */
  public void require(ChangeBatch batch, long session) {
    String owner = owners.apply(session).orElseThrow(() -> RowSessionCore.ended(session));
    Asked asked = asked(batch, session, owner);
    int partition = batch.partition();
    int own = bySession.getOrDefault(new Place(session, partition), new TreeSet<>()).size();
    if (own + asked.toSession() > Limits.SESSION_ROWS_MAX) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "session "
              + session
              + " has "
              + own
              + " rows in partition "
              + partition
              + " and would bind "
              + asked.toSession()
              + " more; a session has at most "
              + Limits.SESSION_ROWS_MAX
              + " in a partition. Open another session, or delete rows");
    }
    places.require(owner, asked.toOwner(), asked.toAll());
  }

  /** The places that are reserved for a batch, until {@link #unreserve}. */
  public static final class Reserved {
    private final long session;
    private final String owner;
    private final Asked asked;

    private Reserved(long session, String owner, Asked asked) {
      this.session = session;
      this.owner = owner;
      this.asked = asked;
    }
  }

  /** The batch may come into the log: its rows count from now on, until {@link #unreserve}. */
  public Reserved reserve(ChangeBatch batch, long session) {
    String owner = owners.apply(session).orElse("");
    Asked asked = asked(batch, session, owner);
    places.reserve(owner, asked.toOwner(), asked.toAll());
    reserved.merge(session, asked.toSession(), Integer::sum);
    return new Reserved(session, owner, asked);
  }

  /** {@link #saw} saw the batch, or the batch is not in the log. */
  public void unreserve(Reserved of) {
    places.unreserve(of.owner, of.asked.toOwner(), of.asked.toAll());
    reserved.computeIfPresent(
        of.session,
        (id, rows) -> rows == of.asked.toSession() ? null : rows - of.asked.toSession());
  }

  private Asked asked(ChangeBatch batch, long session, String owner) {
    Map<Bytes, Long> bound = byPartition.getOrDefault(batch.partition(), new TreeMap<>());
    int toSession = 0;
    Places toOwner = Places.NONE;
    Places toAll = Places.NONE;
    Set<Bytes> counted = new HashSet<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = key(row);
      // Rows without a number yet: each is a new row, although their keys are still alike.
      boolean isNew = row.isAuto();
      if (row.kind() == ChangeKind.DELETE || !(isNew || counted.add(key))) {
        continue;
      }
      Long before = isNew ? null : bound.get(key);
      if (before == null) {
        toAll = toAll.plusRow(row.keyBytes());
      }
      if (before == null || !held.get(before).owner().equals(owner)) {
        toOwner = toOwner.plusRow(row.keyBytes());
      }
      if (before == null || before != session) {
        toSession++;
      }
    }
    return new Asked(toSession, toOwner, toAll);
  }

  /** The rows of a batch are in the log. */
  public void saw(ChangeBatch batch) {
    int partition = batch.partition();
    RowCursor row = batch.rows();
    while (row.next()) {
      Optional<Long> session = row.session();
      if (session.isPresent()) {
        bind(partition, key(row), session.get());
      } else if (has(partition)) {
        release(partition, key(row));
      }
    }
  }

  private static Bytes key(RowCursor row) {
    return Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
  }

  private void bind(int partition, Bytes key, long session) {
    release(partition, key);
    byPartition.computeIfAbsent(partition, any -> new TreeMap<>()).put(key, session);
    bySession.computeIfAbsent(new Place(session, partition), any -> new TreeSet<>()).add(key);
    Held before = held.get(session);
    Held after = (before == null ? new Held(owners.apply(session).orElse(""), 0) : before).plus(1);
    held.put(session, after);
    places.take(after.owner(), key.length());
    raised.put(row(partition, key), SessionProof.encode(session));
  }

  private void release(int partition, Bytes key) {
    TreeMap<Bytes, Long> ofPartition = byPartition.get(partition);
    Long session = ofPartition == null ? null : ofPartition.remove(key);
    if (session == null) {
      return;
    }
    if (ofPartition.isEmpty()) {
      byPartition.remove(partition);
    }
    Place place = new Place(session, partition);
    bySession.get(place).remove(key);
    if (bySession.get(place).isEmpty()) {
      bySession.remove(place);
    }
    Held left = held.get(session).plus(-1);
    if (left.rows() == 0) {
      held.remove(session);
    } else {
      held.put(session, left);
    }
    places.leave(left.owner(), key.length());
    raised.put(row(partition, key), Bytes.EMPTY);
  }

  private static Bytes row(int partition, Bytes key) {
    ByteSink sink = new ByteSink(Integer.BYTES + key.length());
    sink.writeInt(partition);
    sink.write(key);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /**
   * At most {@code countMax} rows of one partition whose sessions have ended; empty if none is
   * left. Rows of many sessions come together, because each batch of DELETEs is a group of its own.
   *
   * @param mayWrite whether rows of a partition may be deleted by this shard now
   */
  public Optional<Ended> ended(int countMax, IntPredicate mayWrite) {
    OptionalInt partition = OptionalInt.empty();
    List<Bytes> keys = new ArrayList<>();
    for (Map.Entry<Place, TreeSet<Bytes>> own : bySession.entrySet()) {
      Place place = own.getKey();
      boolean isElsewhere = partition.isPresent() && partition.getAsInt() != place.partition();
      if (isElsewhere || isAlive(place.session()) || !mayWrite.test(place.partition())) {
        continue;
      }
      partition = OptionalInt.of(place.partition());
      own.getValue().stream().limit(countMax - keys.size()).forEach(keys::add);
      if (keys.size() == countMax) {
        break;
      }
    }
    return keys.isEmpty() ? Optional.empty() : Optional.of(new Ended(partition.getAsInt(), keys));
  }

  /**
   * Evaluates DELETEs of rows whose sessions have ended: a row that was written since is bound no
   * more, or to a session that lives, and is left alone. Each change of the rows must be known by
   * {@link #saw}.
   */
  public Judged judge(ChangeBatch deletes) {
    Map<Bytes, Long> bound = byPartition.getOrDefault(deletes.partition(), new TreeMap<>());
    BitSet accepted = new BitSet();
    List<Rejection> rejections = new ArrayList<>();
    RowCursor row = deletes.rows();
    while (row.next()) {
      Long session = bound.get(key(row));
      if (session != null && !isAlive(session)) {
        accepted.set(row.index());
      } else {
        rejections.add(new Rejection(row.index(), ErrorCode.CONDITION_FAILED));
      }
    }
    Optional<ChangeBatch> left =
        accepted.isEmpty() ? Optional.empty() : Optional.of(AcceptedRows.of(deletes, accepted));
    return new Judged(left, rejections);
  }

  /** What is to be stored with the next write to the table, as {@code BesideRows} has it. */
  public Map<Bytes, Bytes> takeRaised() {
    Map<Bytes, Bytes> taken = Map.copyOf(raised);
    raised.clear();
    return taken;
  }

  /** The partition is gone. */
  public void drop(int partition) {
    TreeMap<Bytes, Long> gone = byPartition.getOrDefault(partition, new TreeMap<>());
    List.copyOf(gone.keySet())
        .forEach(
            key -> {
              release(partition, key);
              raised.remove(row(partition, key));
            });
  }
}
