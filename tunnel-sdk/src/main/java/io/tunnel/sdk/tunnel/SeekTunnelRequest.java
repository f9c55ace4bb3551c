package io.tunnel.sdk.tunnel;

import io.tunnel.model.StreamStart;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Asks to move the progress of a tunnel, also while workers run: back, so that changes are
 * delivered again, or on, so that some are skipped. {@code with} and {@code dryRun} give another
 * request. Exactly one of {@code edge}, {@code timeMs}, {@code position} and {@code checkpoints} is
 * present; the first three are for stream channels.
 *
 * @param tableName its table
 * @param tunnelName its name
 * @param channelIds the channels to move; none for all stream channels, or for those in {@code
 *     checkpoints}
 * @param edge to the oldest change that is kept, or behind the newest that is committed
 * @param timeMs to the first change committed at or after this moment, in milliseconds since 1970
 * @param position behind which one channel goes on
 * @param checkpoints to progress that was exported, from this tunnel or another of its table
 * @param isDryRun whether to say only what would happen
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
   * Refuses null, other than one target, a moment before 1970, and a position for other than one
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

  /** To the oldest change that is kept, in all stream channels. */
  public static SeekTunnelRequest toEarliest(String tableName, String tunnelName) {
    return toEdge(tableName, tunnelName, StreamStart.EARLIEST);
  }

  /** Behind the newest change that is committed, in all stream channels. */
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

  /** To the first change committed at or after a moment, in all stream channels. */
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

  /** One channel goes on behind a position. */
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

  /** To progress that was exported, in the channels that it has. */
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

  /** This request for these channels only; none for all that the target is for. */
  public SeekTunnelRequest withChannels(List<String> ids) {
    return new SeekTunnelRequest(
        tableName, tunnelName, ids, edge, timeMs, position, checkpoints, isDryRun);
  }

  /** This request, carried out or only answered with what it would do. */
  public SeekTunnelRequest dryRun(boolean isDryRun) {
    return new SeekTunnelRequest(
        tableName, tunnelName, channelIds, edge, timeMs, position, checkpoints, isDryRun);
  }
}
