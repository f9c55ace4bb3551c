package io.tunnel.wire.control;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.StreamStart;
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
   * @param channels the ids; empty for the complete tunnel
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
   * The progress of a channel, in a form to keep and import later.
   *
   * @param position the last processed change
   * @param key BaseData only: the encoded key of the last processed row; empty before the first row
   * @param isFinished whether the channel is TERMINATED
   * @param incarnation Stream only: the incarnation of the position, see {@link KnownPosition};
   *     absent when unknown
   */
  record ChannelPosition(
      int partition,
      ChannelType type,
      long position,
      Bytes key,
      boolean isFinished,
      Optional<Long> incarnation) {
    /** A position without an incarnation. */
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

    /** The position with its incarnation, if known. */
    public Optional<KnownPosition> known() {
      return incarnation.map(in -> new KnownPosition(position, in));
    }
  }

  /**
   * The progress of all channels of a tunnel at one time.
   *
   * @param tableId the id of the table, never reused
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
   * @param channels ids of the channels to move; empty for all stream channels, or for all channels
   *     in {@code checkpoints}
   * @param edge move before the oldest kept change, or after the newest committed change
   * @param timeMs move before the first change committed at or after this time, in milliseconds
   *     since 1970
   * @param position move one channel after this position
   * @param checkpoints move to exported progress of this or another tunnel of the table
   * @param isDryRun whether to answer only which channels would move
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
    /** Refuses null, a time before 1970, and no target or several. */
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
   * The effect of a seek on one channel.
   *
   * @param from the checkpoint before the seek
   * @param to the checkpoint after the seek; lower than {@code from} to deliver changes again,
   *     higher to skip changes
   */
  record Move(String channelId, int partition, ChannelType type, long from, long to) {
    /** Refuses null. */
    public Move {
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(type, "type");
    }
  }

  /** The result of a seek or of its dry run, in the order of the channels. */
  record SeekResult(List<Move> moves, long serverMs) implements OperatorControl {
    /** Refuses null and copies the list. */
    public SeekResult {
      moves = List.copyOf(Objects.requireNonNull(moves, "moves"));
    }
  }

  /**
   * Ends a session of a tunnel: other sessions get its channels, and its worker opens a new
   * session.
   */
  record EndSession(String table, String tunnel, String sessionId) implements OperatorControl {
    /** Refuses null. */
    public EndSession {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(tunnel, "tunnel");
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /**
   * Changes options of a table.
   *
   * @param options the options that change; the others stay as they are
   */
  record AlterTable(String table, OptionsChange options) implements OperatorControl {
    /** Refuses null, and a change of no option. */
    public AlterTable {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(options, "options");
      if (options.isEmpty()) {
        throw new IllegalArgumentException(
            "options names no option that changes; name an option of tables, such as retentionMs");
      }
    }
  }
}
