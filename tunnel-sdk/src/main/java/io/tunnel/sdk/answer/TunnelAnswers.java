package io.tunnel.sdk.answer;

import io.tunnel.sdk.ChannelInfo;
import io.tunnel.sdk.FailedChange;
import io.tunnel.sdk.RetryInfo;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.util.List;

/** Answers about tunnels, and the progress that goes back to the service. */
public final class TunnelAnswers {

  private TunnelAnswers() {}

  /** A channel. */
  public static ChannelInfo channel(ChannelDescription channel) {
    int partition = channel.partition();
    ChannelInfo.Builder info =
        ChannelInfo.builder(channel.channelId(), partition, channel.type())
            .status(channel.status())
            .epoch(channel.epoch())
            .checkpointed(channel.checkpointed())
            .delivered(channel.delivered())
            .committed(channel.committed())
            .lagRows(channel.lagRows())
            .lagBytes(channel.lagBytes())
            .rpoInMillis(channel.lagMs())
            .paused(channel.isPaused())
            .waitsFor(channel.waitsFor());
    channel.owner().ifPresent(info::clientId);
    channel.clientTag().ifPresent(info::clientTag);
    channel.end().ifPresent(info::end);
    channel.error().ifPresent(info::error);
    channel.historyLeftMs().ifPresent(info::historyLeftMs);
    channel.failedAt().ifPresent(at -> info.failedAt(failed(partition, at)));
    channel.retry().ifPresent(retry -> info.retry(retry(partition, retry)));
    return info.build();
  }

  private static FailedChange failed(int partition, FailureControl.FailedChange at) {
    return new FailedChange(partition, at.position(), at.key(), at.changes());
  }

  private static RetryInfo retry(int partition, FailureControl.Retry retry) {
    return new RetryInfo(
        retry.at().map(at -> failed(partition, at)),
        retry.attempts(),
        retry.forMs(),
        retry.nextInMs(),
        retry.error());
  }

  /** Progress that was exported. */
  public static CheckpointSet checkpoints(OperatorControl.CheckpointSet exported) {
    return new CheckpointSet(
        exported.tableId(),
        exported.table(),
        exported.tunnel(),
        exported.channels().stream()
            .map(
                at ->
                    new ChannelPosition(
                        at.partition(),
                        at.type(),
                        at.position(),
                        at.key(),
                        at.isFinished(),
                        at.incarnation()))
            .toList());
  }

  /** Progress that is to be brought back. */
  public static OperatorControl.CheckpointSet payload(CheckpointSet checkpoints) {
    return new OperatorControl.CheckpointSet(
        checkpoints.tableId(),
        checkpoints.table(),
        checkpoints.tunnel(),
        checkpoints.channels().stream()
            .map(
                at ->
                    new OperatorControl.ChannelPosition(
                        at.partition(),
                        at.type(),
                        at.position(),
                        at.key(),
                        at.isFinished(),
                        at.incarnation()))
            .toList());
  }

  /** What a seek did. */
  public static List<ChannelMove> moves(SeekResult result) {
    return result.moves().stream()
        .map(
            move ->
                new ChannelMove(
                    move.channelId(), move.partition(), move.type(), move.from(), move.to()))
        .toList();
  }
}
