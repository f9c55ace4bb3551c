package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The payloads of operations by which operators control tunnels. */
public sealed interface OperatorControl extends Control {

  /**
   * Channels of a tunnel.
   *
   * @param channels their ids; none for the tunnel as a whole
   */
  record ChannelSelection(String table, String tunnel, List<String> channels)
      implements OperatorControl {
    /** Refuses null and copies the list. */
    public ChannelSelection {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      channels = channels == null ? List.of() : List.copyOf(channels);
    }
  }

  /**
   * How far a channel is, in a form that can be kept and brought back.
   *
   * @param position every change up to it was processed
   * @param key BaseData only: the encoded key of the last row processed; empty before the first
   * @param isFinished whether the channel is TERMINATED
   * @param incarnation Stream only: of the position, as {@link KnownPosition} has it, if it is
   *     known
   */
  record ChannelPosition(
      int partition,
      ChannelType type,
      long position,
      Bytes key,
      boolean isFinished,
      Optional<Long> incarnation) {
    /** A position whose incarnation is not known. */
    public ChannelPosition(
        int partition, ChannelType type, long position, Bytes key, boolean isFinished) {
      this(partition, type, position, key, isFinished, Optional.empty());
    }

    /** Refuses null, positions under 0, and an incarnation under 1 or of rows. */
    public ChannelPosition {
      Objects.requireNonNull(type, "type");
      key = key == null ? Bytes.EMPTY : key;
      incarnation = incarnation == null ? Optional.empty() : incarnation;
      if (position < 0) {
        throw new IllegalArgumentException("a position is at least 0, not " + position);
      }
      if (incarnation.isPresent() && (type != ChannelType.Stream || incarnation.get() < 1)) {
        throw new IllegalArgumentException(
            "positions of changes have an incarnation of at least 1; that of "
                + type
                + " is "
                + incarnation.get());
      }
    }

    /** What is known of the changes of the partition, if it is known in which incarnation. */
    public Optional<KnownPosition> known() {
      return incarnation.map(in -> new KnownPosition(position, in));
    }
  }

  /**
   * The progress of all channels of a tunnel at one moment.
   *
   * @param tableId the table that the positions belong to; never used again for another
   */
  record CheckpointSet(int tableId, String table, String tunnel, List<ChannelPosition> channels)
      implements OperatorControl {
    /** Refuses null and copies the list. */
    public CheckpointSet {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      channels = List.copyOf(Objects.requireNonNull(channels, "channels"));
    }
  }

  /**
   * Moves progress. Exactly one of {@code edge}, {@code timeMs}, {@code position} and {@code
   * checkpoints} is present; the first three are for stream channels.
   *
   * @param channels ids of the channels to move; none for all stream channels, or for those in
   *     {@code checkpoints}
   * @param edge to the oldest change that is kept, or behind the newest that is committed
   * @param timeMs to the first change committed at or after this moment, in milliseconds since 1970
   * @param position goes on behind this position; for one channel
   * @param checkpoints to progress that was exported, from this tunnel or another of the same table
   * @param isDryRun whether to say only what would happen
   */
  record Seek(
      String table,
      String tunnel,
      List<String> channels,
      Optional<StreamStart> edge,
      Optional<Long> timeMs,
      Optional<Long> position,
      Optional<CheckpointSet> checkpoints,
      boolean isDryRun)
      implements OperatorControl {
    /** Refuses null, a moment before 1970, and anything but one target. */
    public Seek {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      channels = channels == null ? List.of() : List.copyOf(channels);
      edge = edge == null ? Optional.empty() : edge;
      timeMs = timeMs == null ? Optional.empty() : timeMs;
      position = position == null ? Optional.empty() : position;
      checkpoints = checkpoints == null ? Optional.empty() : checkpoints;
      Control.requireSince1970("timeMs", timeMs);
      if (Stream.of(edge, timeMs, position, checkpoints).filter(Optional::isPresent).count() != 1) {
        throw new IllegalArgumentException(
            "a seek has one of edge, timeMs, position and checkpoints");
      }
      if (position.isPresent() && channels.size() != 1) {
        throw new IllegalArgumentException(
            "a position is for one channel, but " + channels.size() + " are named");
      }
    }
  }

  /**
   * What a seek does to one channel.
   *
   * @param from every change up to here was processed
   * @param to every change up to here is taken for processed from now on; lower than {@code from}
   *     when changes are delivered again, higher when some are skipped
   */
  record Move(String channelId, int partition, ChannelType type, long from, long to) {
    /** Refuses null. */
    public Move {
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(type, "type");
    }
  }

  /** What a seek does, or would do, in the order of the channels. */
  record SeekResult(List<Move> moves) implements OperatorControl {
    /** Refuses null and copies the list. */
    public SeekResult {
      moves = List.copyOf(Objects.requireNonNull(moves, "moves"));
    }
  }

  /** Ends a session of a tunnel; its channels go to the others, and its worker opens another. */
  record EndSession(String table, String tunnel, String sessionId) implements OperatorControl {
    /** Refuses null. */
    public EndSession {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /** Gives a table other options. */
  record AlterTable(String table, TableOptions options) implements OperatorControl {
    /** Refuses null. */
    public AlterTable {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(options, "options");
    }
  }
}
