package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations by which partitions are read without a tunnel. */
public sealed interface PartitionControl extends Control {

  /** The epoch under which everything is said of a partition that is read: it has no holder. */
  long EPOCH = 0;

  /**
   * Asks for the changes or rows of a partition, behind a position that the reader keeps.
   *
   * @param partition which one; ids are never used again
   * @param type changes, or rows as they are
   * @param position delivery starts behind it; of rows, how many were read
   * @param key BaseData only: the encoded key of the row at {@code position}; empty before the
   *     first
   * @param end Stream only: the position behind which nothing is wanted, if that is known
   * @param endMs Stream only: as long as {@code end} is not known, nothing is delivered that was
   *     committed at or after this moment, in milliseconds since 1970
   * @param known what the reader has seen already, if it knows in which incarnation; of changes not
   *     before {@code position}
   */
  record ReadPartition(
      int partition,
      ChannelType type,
      long position,
      Bytes key,
      Optional<Long> end,
      Optional<Long> endMs,
      Optional<KnownPosition> known)
      implements PartitionControl {
    /** Of a reader that does not know an incarnation. */
    public ReadPartition(
        int partition,
        ChannelType type,
        long position,
        Bytes key,
        Optional<Long> end,
        Optional<Long> endMs) {
      this(partition, type, position, key, end, endMs, Optional.empty());
    }

    /**
     * Refuses null, positions under 0, a moment before 1970, and rows with an end or changes with a
     * key.
     */
    public ReadPartition {
      Objects.requireNonNull(type, "type");
      key = key == null ? Bytes.EMPTY : key;
      end = end == null ? Optional.empty() : end;
      endMs = endMs == null ? Optional.empty() : endMs;
      known = known == null ? Optional.empty() : known;
      if (position < 0 || end.orElse(0L) < 0) {
        throw new IllegalArgumentException(
            "positions are at least 0, not " + position + " and " + end);
      }
      Control.requireSince1970("endMs", endMs);
      if (end.isPresent() && end.get() < position) {
        throw new IllegalArgumentException(
            "the end " + end.get() + " is before the position " + position);
      }
      if (type == ChannelType.BaseData && (end.isPresent() || endMs.isPresent())) {
        throw new IllegalArgumentException("rows end where they end, not at a position or moment");
      }
      if (type == ChannelType.Stream && !key.equals(Bytes.EMPTY)) {
        throw new IllegalArgumentException("changes are read behind a position, not behind a key");
      }
      if (type == ChannelType.Stream && known.isPresent() && known.get().position() < position) {
        throw new IllegalArgumentException(
            "a reader that goes on behind " + position + " knows more than " + known.get());
      }
    }
  }

  /**
   * Asks behind which positions the changes of a table's partitions can be read.
   *
   * @param timeMs also where the first change stands that was committed at or after this moment, in
   *     milliseconds since 1970
   */
  record FindPositions(String table, Optional<Long> timeMs) implements PartitionControl {
    /** Refuses null and a moment before 1970. */
    public FindPositions {
      Objects.requireNonNull(table, "table");
      timeMs = timeMs == null ? Optional.empty() : timeMs;
      Control.requireSince1970("timeMs", timeMs);
    }
  }

  /**
   * Positions behind which to begin.
   *
   * @param earliest in front of the oldest change that is kept
   * @param latest of what was newest when it was looked at
   * @param before in front of the first change of the moment that was asked for, or of a later one
   * @param incarnation of these positions, if the service says so
   */
  record Positions(
      int partition,
      long earliest,
      long latest,
      Optional<Long> before,
      Optional<Long> incarnation) {
    /** Of an incarnation that is not known. */
    public Positions(int partition, long earliest, long latest, Optional<Long> before) {
      this(partition, earliest, latest, before, Optional.empty());
    }

    /** Refuses positions under 0. */
    public Positions {
      incarnation = incarnation == null ? Optional.empty() : incarnation;
      before = before == null ? Optional.empty() : before;
      if (earliest < 0 || latest < 0 || before.orElse(0L) < 0) {
        throw new IllegalArgumentException(
            "positions are at least 0, not " + earliest + ", " + latest + " and " + before);
      }
    }
  }

  /**
   * What was found of each partition.
   *
   * @param tableId of the table that has that name now
   */
  record FoundPositions(int tableId, List<Positions> partitions) implements PartitionControl {
    /** Refuses null and copies the list. */
    public FoundPositions {
      partitions = List.copyOf(Objects.requireNonNull(partitions, "partitions"));
    }
  }
}
