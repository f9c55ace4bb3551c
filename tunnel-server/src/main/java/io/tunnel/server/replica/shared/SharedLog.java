package io.tunnel.server.replica.shared;

import io.tunnel.model.value.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The log of partitions that many nodes append to and read: for each partition one sequence of
 * records, numbered by the log with rising offsets. What was appended is replicated and durable.
 * Records younger than the partition's retention of changes are all kept; of the older ones with
 * the same key, the log may keep the last only.
 */
public interface SharedLog extends Closeable {

  /** What a record is. */
  enum Kind {
    /** A change of a row. */
    CHANGE,
    /** The row as it is, said again behind a record that everybody ignores; not a change. */
    REPAIR,
    /**
     * Somebody begins to lead; the record's offset is the epoch of what it appends from then on.
     */
    MARKER,
    /**
     * A record of a newer build. This build cannot tell whether the record counts, so a replica
     * stops in front of the record.
     */
    NEWER
  }

  /**
   * A record to be appended.
   *
   * @param key the encoded key of the row; empty for a marker, so that of older markers only the
   *     last is kept
   * @param epoch under which it is appended; 0 for a marker
   * @param sequence counts the records of that epoch from 1; 0 for a marker
   * @param value as {@link RecordCodec} writes it; absent when the row is not there any more
   * @param rowMicros of a repair: when the row was committed, in microseconds since 1970; 0
   *     otherwise, and without a row
   * @param attributes of the row in its batch; of a record of a newer build, its header
   */
  record Entry(
      Kind kind,
      Bytes key,
      long epoch,
      long sequence,
      Optional<Bytes> value,
      long rowMicros,
      Bytes attributes) {

    /** Refuses null. */
    public Entry {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(value, "value");
      Objects.requireNonNull(attributes, "attributes");
    }

    /** An entry without attributes that repairs no row. */
    public Entry(Kind kind, Bytes key, long epoch, long sequence, Optional<Bytes> value) {
      this(kind, key, epoch, sequence, value, 0, Bytes.EMPTY);
    }
  }

  /**
   * A record that was appended.
   *
   * @param offset its number in the partition's log
   * @param timeMicros when the log took it, in microseconds since 1970
   * @param leaderEpoch of the broker that led the log then: never falls as offsets rise, so that a
   *     log that lost its end and grew again is seen; {@link #NO_EPOCH} of a log that does not say
   */
  record Stored(long offset, long timeMicros, Entry entry, int leaderEpoch) {

    /** The epoch of records from a log that does not store leaders. */
    public static final int NO_EPOCH = -1;

    /** A record of a log that does not store leaders. */
    public Stored(long offset, long timeMicros, Entry entry) {
      this(offset, timeMicros, entry, NO_EPOCH);
    }

    /** Refuses null. */
    public Stored {
      Objects.requireNonNull(entry, "entry");
    }
  }

  /** Is told once, by any thread, what became of an append. */
  @FunctionalInterface
  interface Appended {
    /**
     * All entries are in the log; or (a failure is present) it is unknown which are, and each may
     * still get there later.
     */
    void done(Optional<IOException> failure);
  }

  /**
   * Appends entries to a partition's log, in their order. Returns at once. Other nodes' entries may
   * come between the entries of one call, and a failure may leave out any entry; but entries never
   * change their order within a call.
   */
  void append(int partition, List<Entry> entries, Appended appended);

  /** Begins to read for {@code listener}, so far nothing. */
  Tail tail(TailListener listener);

  /** One reader of many partitions. Its methods may be called by any thread and return at once. */
  interface Tail extends Closeable {

    /** Reads the partition from {@code offset} on; goes there when it is read already. */
    void follow(int partition, long offset);

    /**
     * Reads the partition from {@code offset} on for a replica that has read all in front of it,
     * the last of it under the leader of {@code leaderEpoch}. The listener is told that the log has
     * {@linkplain TailListener#lost lost} the place when the log was cut off before it since, also
     * when it is longer again.
     */
    default void follow(int partition, long offset, int leaderEpoch) {
      follow(partition, offset);
    }

    /** Reads the partition no more; what was read before may still be told. */
    void unfollow(int partition);

    /** Tells nothing more of any partition until {@link #resume}; to be called by the listener. */
    void pause();

    /** Goes on. */
    void resume();
  }

  /** Is told what a tail reads, by the tail's thread: it must only pass it on. */
  interface TailListener {

    /**
     * Some records of one partition, in order.
     *
     * @param from the offset that was requested; lets a listener recognize records read for an
     *     earlier {@link Tail#follow}
     * @param next the offset to read next: the log has no record between the last of {@code
     *     records} and {@code next}. The log has compacted all offsets missing in {@code records}.
     * @param readMicros a time at or after the log's answer, in microseconds since 1970; a record
     *     too young for compaction at this time was too young when the log read it
     */
    void read(int partition, long from, List<Stored> records, long next, long readMicros);

    /**
     * The log has no record at the offset that should be read, or another one than it had: it was
     * deleted, cut off or made anew.
     */
    void lost(int partition, long offset, long first);
  }

  /**
   * Where a log ends.
   *
   * @param offset behind the last record
   * @param origin tells the log apart from one that is made anew in its place; at most 255 bytes
   */
  record End(long offset, Bytes origin) {
    /** Refuses null. */
    public End {
      Objects.requireNonNull(origin, "origin");
    }
  }

  /** The end now; everything acknowledged by anybody before the call is below. */
  CompletableFuture<End> end(int partition);

  /** The ends of many partitions, each for itself: a log that can asks for all of them at once. */
  default Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<End>> ends = new HashMap<>();
    partitions.forEach(partition -> ends.put(partition, end(partition)));
    return ends;
  }
}
