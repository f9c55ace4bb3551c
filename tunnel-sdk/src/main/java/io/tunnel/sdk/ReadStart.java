package io.tunnel.sdk;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a {@link PartitionReader} begins with a partition, and where it ends.
 *
 * @param partition its id
 * @param type changes, or rows as they are
 * @param position begins behind it: for changes that of the last one processed, for rows how many
 *     were
 * @param key BaseData only: the {@linkplain StreamRecord#encodedKey encoded key} of the last row
 *     processed; empty before the first
 * @param end Stream only: nothing is read behind this position
 * @param endMs Stream only: nothing is read that was committed at or after this moment, in
 *     milliseconds since 1970
 * @param known what was seen of the partition before, and in which {@linkplain
 *     PartitionRecords#incarnation incarnation}: reading is refused with {@code POSITION_REPLACED}
 *     when the service has lost some of it. Without it nobody would notice, and what has these
 *     positions now would be skipped
 */
public record ReadStart(
    int partition,
    ChannelType type,
    long position,
    Bytes key,
    Optional<Long> end,
    Optional<Long> endMs,
    Optional<KnownPosition> known) {

  /** Of a reader that does not know an incarnation. */
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
   * Refuses null, positions under 0, a moment before 1970, rows with an end or changes with a key,
   * and changes behind a position of which less is known.
   */
  public ReadStart {
    Objects.requireNonNull(known, "known");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(endMs, "endMs");
    if (position < 0 || end.orElse(position) < position) {
      throw new IllegalArgumentException("reading from position " + position + " to " + end);
    }
    if (endMs.orElse(0L) < 0) {
      throw new IllegalArgumentException("endMs is milliseconds since 1970, not " + endMs.get());
    }
    if (type == ChannelType.BaseData && (end.isPresent() || endMs.isPresent())) {
      throw new IllegalArgumentException("rows end where they end, not at " + end + " or " + endMs);
    }
    if (type == ChannelType.Stream && key.length() > 0) {
      throw new IllegalArgumentException("changes are read behind a position, not behind a key");
    }
    if (type == ChannelType.Stream && known.isPresent() && known.get().position() < position) {
      throw new IllegalArgumentException("reading from position " + position + ", with " + known);
    }
  }

  /** All changes behind a position, without an end. */
  public static ReadStart changes(int partition, long position) {
    return new ReadStart(
        partition, ChannelType.Stream, position, Bytes.EMPTY, Optional.empty(), Optional.empty());
  }

  /** All rows as they are. */
  public static ReadStart rows(int partition) {
    return rowsBehind(partition, 0, Bytes.EMPTY);
  }

  /** The rows behind one that was read. */
  public static ReadStart rowsBehind(int partition, long position, Bytes key) {
    return new ReadStart(
        partition, ChannelType.BaseData, position, key, Optional.empty(), Optional.empty());
  }

  /** This start with an end at a position. */
  public ReadStart upTo(long position) {
    return new ReadStart(partition, type, this.position, key, Optional.of(position), endMs, known);
  }

  /**
   * This start with an end at a moment, in milliseconds since 1970. A moment that has not come yet
   * ends the reading when it has.
   *
   * @throws IllegalArgumentException when the moment is before 1970
   */
  public ReadStart before(long ms) {
    return new ReadStart(partition, type, position, key, end, Optional.of(ms), known);
  }

  /** A copy of this start for a reader that has seen the partition before. */
  public ReadStart knowing(KnownPosition seen) {
    return new ReadStart(partition, type, position, key, end, endMs, Optional.of(seen));
  }
}
