package io.tunnel.server.replica.append;

import java.io.Closeable;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * One reader of many partitions of a log of appends. Methods may be called by any thread and return
 * at once.
 */
public interface AppendTail extends Closeable {

  /** The epoch of a place about whose leader nothing is known. */
  int NO_EPOCH = -1;

  /** Gets the events, by the tail's thread: must only pass them on. */
  @FunctionalInterface
  interface Listener {
    /** The next event. An event that the listener fails to take comes again. */
    void happened(Event event);
  }

  /**
   * Reads the partition from {@code offset} on. Goes there when the partition is read already,
   * paused, or held.
   *
   * @param leaderEpoch the leader epoch of the record before {@code offset}, as {@link Stored} had
   *     it: the log's leader is then asked whether the log has lost its end before the offset, also
   *     when the log is longer again; {@link #NO_EPOCH} for a place that is not asked about
   * @return the number of this visit; {@link Begun} has the number, and events before are those of
   *     an earlier visit
   */
  long follow(int partition, long offset, int leaderEpoch);

  /** Reads the partition no more; events before the call may still come. */
  void unfollow(int partition);

  /**
   * Reads nothing of the partition until {@link #resume(int)} or {@link #follow}: a leader knows
   * what it appends. The tail still reports changes of the log's leader.
   */
  void pause(int partition);

  /** Reads the partition on from where it was paused. */
  void resume(int partition);

  /** Reports nothing of any partition until {@link #resume()}; to be called by the listener. */
  void pause();

  /** Resumes. */
  void resume();

  /**
   * The ends of partitions; each partition fails for itself. Everything acknowledged by anybody
   * before the call is before the end. A change of the log's leader that the answer shows is also
   * reported as an event.
   */
  Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions);

  /**
   * Where the log of a partition ends.
   *
   * @param offset after the last record
   * @param leaderEpoch of the broker that leads the log now; {@link #NO_EPOCH} if unknown
   */
  record End(long offset, int leaderEpoch) {}

  /** A record that was read. */
  final class Stored {
    private final long offset;
    private final int leaderEpoch;
    private final long timeMs;
    private final AppendHeader header;
    private final byte[] value;

    /** Shares {@code value}. */
    public Stored(long offset, int leaderEpoch, long timeMs, AppendHeader header, byte[] value) {
      this.offset = offset;
      this.leaderEpoch = leaderEpoch;
      this.timeMs = timeMs;
      this.header = Objects.requireNonNull(header, "header");
      this.value = Objects.requireNonNull(value, "value");
    }

    /** The number of the record in the partition's log. */
    public long offset() {
      return offset;
    }

    /**
     * The leader epoch of the broker that took the record: never falls as offsets rise; {@link
     * #NO_EPOCH} if unknown.
     */
    public int leaderEpoch() {
      return leaderEpoch;
    }

    /** When the broker took the record by the broker's clock, in milliseconds since 1970. */
    public long timeMs() {
      return timeMs;
    }

    /** What the record is. */
    public AppendHeader header() {
      return header;
    }

    /** The batches of the record, or its {@link AppendValue}; no thread changes the bytes. */
    public byte[] value() {
      return value;
    }
  }

  /** What a tail reports of a partition; events of a partition come in the order of its log. */
  sealed interface Event {
    /** The partition. */
    int partition();
  }

  /**
   * The partition is read as {@link #follow} asked, and all events from here on come from this
   * visit; changes of the log's leader may be reported before.
   *
   * @param visit as {@link #follow} gave it
   */
  record Begun(int partition, long visit) implements Event {}

  /**
   * Records, in order; or none, where the log has only records that no leader wrote.
   *
   * @param from the offset that the tail has read from
   * @param next the offset to read next
   * @param bytes of all headers and values, at most those of one record beyond the size of a chunk
   */
  record Read(int partition, long from, List<Stored> records, long next, long bytes)
      implements Event {

    /** Shares the list. */
    public Read {
      records = Collections.unmodifiableList(records);
    }
  }

  /**
   * The log's start is beyond the next offset, so changes are missing. The tail does not read the
   * partition any more.
   *
   * @param offset that should have been read
   * @param first of the log now
   */
  record Trimmed(int partition, long offset, long first) implements Event {}

  /**
   * The log has lost its end, and perhaps grown again. The tail does not read the partition any
   * more.
   *
   * @param offset that should have been read
   * @param sharedMax the log has no record at or after {@code sharedMax} that it had when {@code
   *     offset} was the next; 0 if unknown
   */
  record Cut(int partition, long offset, long sharedMax) implements Event {}

  /**
   * Another broker leads the log, or the same broker again: the log may have lost its end. A leader
   * of the partition answers nothing more before it has read its records back.
   *
   * @param leaderEpoch greater than every one before
   */
  record LeaderChanged(int partition, int leaderEpoch) implements Event {}

  /**
   * A record of a newer build, of which this build cannot tell whether it counts. The tail stops
   * before the record, until {@link #follow}.
   *
   * @param reason names what this build does not know
   */
  record HeldBack(int partition, long offset, String reason) implements Event {}
}
