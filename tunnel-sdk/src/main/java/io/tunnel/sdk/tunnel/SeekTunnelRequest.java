package io.tunnel.sdk.tunnel;

import io.tunnel.model.StreamStart;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Asks to move the progress of a tunnel, also while workers run: back, to deliver changes again, or
 * forward, to skip changes. {@code withChannels} and {@code dryRun} return a changed copy of the
 * request. Exactly one of {@code edge}, {@code timeMs}, {@code position} and {@code checkpoints} is
 * present; the first three are for stream channels.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 * @param channelIds the channels to move; empty for all stream channels, or for all channels in
 *     {@code checkpoints}
 * @param edge move before the oldest kept change, or behind the newest committed change
 * @param timeMs move before the first change committed at or after this moment, in milliseconds
 *     since 1970
 * @param position move one channel behind this position
 * @param checkpoints move to exported progress of this or another tunnel of the table
 * @param isDryRun whether to answer only which channels would move
 */
public record SeekTunnelRequest(
    String tableName,
    String tunnelName,
    List<String> channelIds,
    Optional<StreamStart> edge,
    Optional<Long> timeMs,
    Optional<Long> position,
    Optional<CheckpointSet> checkpoints,
    boolean isDryRun) {

  /**
   * Refuses null, no target or several, a moment before 1970, and a position without exactly one
   * channel.
   */
  public SeekTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    channelIds = List.copyOf(channelIds);
    Objects.requireNonNull(edge, "edge");
    Objects.requireNonNull(timeMs, "timeMs");
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(checkpoints, "checkpoints");
    if (Stream.of(edge, timeMs, position, checkpoints).filter(Optional::isPresent).count() != 1) {
      throw new IllegalArgumentException(
          "a seek has one of edge, timeMs, position and checkpoints");
    }
    if (timeMs.orElse(0L) < 0) {
      throw new IllegalArgumentException("timeMs is milliseconds since 1970, not " + timeMs.get());
    }
    if (position.isPresent() && channelIds.size() != 1) {
      throw new IllegalArgumentException(
          "a position is for one channel, but " + channelIds.size() + " are named");
    }
  }

  /** Moves all stream channels before the oldest kept change. */
  public static SeekTunnelRequest toEarliest(String tableName, String tunnelName) {
    return toEdge(tableName, tunnelName, StreamStart.EARLIEST);
  }

  /** Moves all stream channels behind the newest committed change. */
  public static SeekTunnelRequest toLatest(String tableName, String tunnelName) {
    return toEdge(tableName, tunnelName, StreamStart.LATEST);
  }

  private static SeekTunnelRequest toEdge(String tableName, String tunnelName, StreamStart edge) {
    return new SeekTunnelRequest(
        tableName,
        tunnelName,
        List.of(),
        Optional.of(edge),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** Moves all stream channels before the first change committed at or after a moment. */
  public static SeekTunnelRequest toTime(String tableName, String tunnelName, long timeMs) {
    return new SeekTunnelRequest(
        tableName,
        tunnelName,
        List.of(),
        Optional.empty(),
        Optional.of(timeMs),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** Moves one channel behind a position. */
  public static SeekTunnelRequest toPosition(
      String tableName, String tunnelName, String channelId, long position) {
    return new SeekTunnelRequest(
        tableName,
        tunnelName,
        List.of(channelId),
        Optional.empty(),
        Optional.empty(),
        Optional.of(position),
        Optional.empty(),
        false);
  }

  /** Moves channels to their exported progress. */
  public static SeekTunnelRequest toCheckpoints(
      String tableName, String tunnelName, CheckpointSet checkpoints) {
    return new SeekTunnelRequest(
        tableName,
        tunnelName,
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(checkpoints),
        false);
  }

  /** A copy for some channels only; empty for all channels of the target. */
  public SeekTunnelRequest withChannels(List<String> ids) {
    return new SeekTunnelRequest(
        tableName, tunnelName, ids, edge, timeMs, position, checkpoints, isDryRun);
  }

  /** A copy that moves the channels, or answers only which would move. */
  public SeekTunnelRequest dryRun(boolean isDryRun) {
    return new SeekTunnelRequest(
        tableName, tunnelName, channelIds, edge, timeMs, position, checkpoints, isDryRun);
  }
}
