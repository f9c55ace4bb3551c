package io.tunnel.sdk;

import io.tunnel.model.StreamStart;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.OperatorControl.Seek;
import java.util.List;
import java.util.Optional;

/**
 * Asks to move the progress of a tunnel, also while workers run: back, so that changes are
 * delivered again, or on, so that some are skipped. Immutable; {@code with} and {@code dryRun} give
 * another request.
 */
public final class SeekTunnelRequest {

  private final Seek seek;

  private SeekTunnelRequest(Seek seek) {
    this.seek = seek;
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
        new Seek(
            tableName,
            tunnelName,
            List.of(),
            Optional.of(edge),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false));
  }

  /** To the first change committed at or after a moment, in all stream channels. */
  public static SeekTunnelRequest toTime(String tableName, String tunnelName, long timeMs) {
    return new SeekTunnelRequest(
        new Seek(
            tableName,
            tunnelName,
            List.of(),
            Optional.empty(),
            Optional.of(timeMs),
            Optional.empty(),
            Optional.empty(),
            false));
  }

  /** One channel goes on behind a position. */
  public static SeekTunnelRequest toPosition(
      String tableName, String tunnelName, String channelId, long position) {
    return new SeekTunnelRequest(
        new Seek(
            tableName,
            tunnelName,
            List.of(channelId),
            Optional.empty(),
            Optional.empty(),
            Optional.of(position),
            Optional.empty(),
            false));
  }

  /** To progress that was exported, in the channels that it has. */
  public static SeekTunnelRequest toCheckpoints(
      String tableName, String tunnelName, CheckpointSet checkpoints) {
    return new SeekTunnelRequest(
        new Seek(
            tableName,
            tunnelName,
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(checkpoints),
            false));
  }

  /** This request for these channels only; none for all that the target is for. */
  public SeekTunnelRequest withChannels(List<String> channelIds) {
    return with(channelIds, seek.isDryRun());
  }

  /** This request, carried out or only answered with what it would do. */
  public SeekTunnelRequest dryRun(boolean isDryRun) {
    return with(seek.channels(), isDryRun);
  }

  private SeekTunnelRequest with(List<String> channelIds, boolean isDryRun) {
    return new SeekTunnelRequest(
        new Seek(
            seek.table(),
            seek.tunnel(),
            channelIds,
            seek.edge(),
            seek.timeMs(),
            seek.position(),
            seek.checkpoints(),
            isDryRun));
  }

  /** Whether it only asks what would happen. */
  public boolean isDryRun() {
    return seek.isDryRun();
  }

  /** As it is sent. */
  public Seek payload() {
    return seek;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SeekTunnelRequest that && seek.equals(that.seek);
  }

  @Override
  public int hashCode() {
    return seek.hashCode();
  }

  @Override
  public String toString() {
    return seek.toString();
  }
}
