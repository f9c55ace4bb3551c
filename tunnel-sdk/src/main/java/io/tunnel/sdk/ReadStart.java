package io.tunnel.sdk;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Objects;
import java.util.Optional;

/**
 * Start and end of the reading of one partition by a {@link PartitionReader}.
 *
 * @param partition id of the partition
 * @param type changes, or existing rows
 * @param position last processed position, behind which reading starts; for rows the number of
 *     processed rows
 * @param key BaseData only: the {@linkplain StreamRecord#encodedKey encoded key} of the last
 *     processed row; empty before the first row
 * @param end Stream only: last position to read
 * @param endMs Stream only: reads only changes committed before this time, in milliseconds since
 *     1970
 * @param known last position seen earlier, with its {@linkplain PartitionRecords#incarnation
 *     incarnation}. The service refuses with {@code POSITION_REPLACED} when it has lost a change up
 *     to this position. Without {@code known}, such a loss goes unnoticed, and the reader skips the
 *     changes that reuse the lost positions
 */
public record ReadStart(
    int partition,
    ChannelType type,
    long position,
    Bytes key,
    Optional<Long> end,
    Optional<Long> endMs,
    Optional<KnownPosition> known) {

  /** A start without a known incarnation. */
  public ReadStart(
      int partition,
      ChannelType type,
      long position,
      Bytes key,
      Optional<Long> end,
      Optional<Long> endMs) {
    this(partition, type, position, key, end, endMs, Optional.empty());
  }

  /**
   * Refuses null, negative positions, times before 1970, rows with an end, changes with a key, and
   * changes behind a position greater than {@code known}.
   */
  public ReadStart {
    Objects.requireNonNull(known, "known");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(endMs, "endMs");
    if (position < 0 || end.orElse(position) < position) {
      throw new IllegalArgumentException(
          "position is at least 0 and at most the end, not " + position + " with the end " + end);
    }
    if (endMs.orElse(0L) < 0) {
      throw new IllegalArgumentException("endMs is milliseconds since 1970, not " + endMs.get());
    }
    if (type == ChannelType.BaseData && (end.isPresent() || endMs.isPresent())) {
      throw new IllegalArgumentException(
          "reading of rows has no end, not position " + end + " or time " + endMs);
    }
    if (type == ChannelType.Stream && key.length() > 0) {
      throw new IllegalArgumentException("reading of changes starts at a position, without a key");
    }
    if (type == ChannelType.Stream && known.isPresent() && known.get().position() < position) {
      throw new IllegalArgumentException(
          "the start position " + position + " is behind the known position " + known.get());
    }
  }

  /** All changes behind a position, without an end. */
  public static ReadStart changes(int partition, long position) {
    return new ReadStart(
        partition, ChannelType.Stream, position, Bytes.EMPTY, Optional.empty(), Optional.empty());
  }

  /** All existing rows. */
  public static ReadStart rows(int partition) {
    return rowsBehind(partition, 0, Bytes.EMPTY);
  }

  /** The rows behind the row with this key. */
  public static ReadStart rowsBehind(int partition, long position, Bytes key) {
    return new ReadStart(
        partition, ChannelType.BaseData, position, key, Optional.empty(), Optional.empty());
  }

  /** A copy of this start that ends at a position. */
  public ReadStart upTo(long position) {
    return new ReadStart(partition, type, this.position, key, Optional.of(position), endMs, known);
  }

  /**
   * A copy of this start that ends at a time, in milliseconds since 1970. A time in the future ends
   * the reading when it has come.
   *
   * @throws IllegalArgumentException when the time is before 1970
   */
  public ReadStart before(long ms) {
    return new ReadStart(partition, type, position, key, end, Optional.of(ms), known);
  }

  /** A copy of this start for a reader that has seen the partition up to a known position. */
  public ReadStart knowing(KnownPosition seen) {
    return new ReadStart(partition, type, position, key, end, endMs, Optional.of(seen));
  }
}
