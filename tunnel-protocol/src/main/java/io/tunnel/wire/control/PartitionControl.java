package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.KeyTerms;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations to read partitions without a tunnel. */
public sealed interface PartitionControl extends Control {

  /**
   * The epoch in all frames about a partition that is read without a tunnel: no session holds it.
   */
  long EPOCH = 0;

  /**
   * Asks for the changes or rows of a partition, after a position that the reader keeps.
   *
   * @param partition the id of the partition, never reused
   * @param type changes, or the present rows
   * @param position the position to start after; for rows, the number of rows read so far
   * @param key BaseData only: the encoded key of the row at {@code position}; empty before the
   *     first row
   * @param end Stream only: the last position to deliver, if known
   * @param endMs Stream only: while {@code end} is unknown, only changes committed before this time
   *     are delivered; milliseconds since 1970
   * @param known the last position that the reader has seen, with its incarnation, if known; for
   *     changes not before {@code position}
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
    /** A request without an incarnation. */
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
     * Refuses null, positions under 0, a time before 1970, and rows with an end or changes with a
     * key.
     */
    public ReadPartition {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(key, "key");
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
        throw new IllegalArgumentException("rows end where they end, not at a position or time");
      }
      if (type == ChannelType.Stream && !key.equals(Bytes.EMPTY)) {
        throw new IllegalArgumentException("changes are read after a position, not after a key");
      }
      if (type == ChannelType.Stream && known.isPresent() && known.get().position() < position) {
        throw new IllegalArgumentException(
            "a reader that continues after " + position + " knows more than " + known.get());
      }
    }
  }

  /**
   * Asks for the changes or rows of a partition whose keys match, and no others. Deliveries have
   * one batch for each row; a SETTLED says how far the server has looked.
   *
   * @param read without an end: a watch ends when its client wants no more
   * @param terms the keys
   */
  record Watch(ReadPartition read, KeyTerms terms) implements PartitionControl {
    /** Refuses null and an end. */
    public Watch {
      Objects.requireNonNull(read, "read");
      Objects.requireNonNull(terms, "terms");
      if (read.end().isPresent() || read.endMs().isPresent()) {
        throw new IllegalArgumentException("a watch has no end");
      }
    }
  }

  /**
   * Asks for the positions after which the changes of a table's partitions can be read.
   *
   * @param timeMs asks also for the position of the first change committed at or after this time,
   *     in milliseconds since 1970
   */
  record FindPositions(String table, Optional<Long> timeMs) implements PartitionControl {
    /** Refuses null and a time before 1970. */
    public FindPositions {
      Objects.requireNonNull(table, "table");
      timeMs = timeMs == null ? Optional.empty() : timeMs;
      Control.requireSince1970("timeMs", timeMs);
    }
  }

  /**
   * Positions to start reading after.
   *
   * @param earliest the position before the oldest kept change
   * @param latest the position of the newest change at the time of the answer
   * @param before the position before the first change at or after the requested time
   * @param incarnation the incarnation of these positions, if known
   */
  record Positions(
      int partition,
      long earliest,
      long latest,
      Optional<Long> before,
      Optional<Long> incarnation) {
    /** Positions without an incarnation. */
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
   * The positions of each partition.
   *
   * @param tableId the id of the table that has the name now
   * @param serverMs the clock of the server, in milliseconds since 1970
   */
  record FoundPositions(int tableId, List<Positions> partitions, long serverMs)
      implements PartitionControl {
    /** Refuses null and copies the list. */
    public FoundPositions {
      partitions = List.copyOf(Objects.requireNonNull(partitions, "partitions"));
    }
  }
}
