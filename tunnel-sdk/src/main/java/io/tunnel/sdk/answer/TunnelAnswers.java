package io.tunnel.sdk.answer;

import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.SkippedChange;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.util.List;

/** Converts answers about tunnels, and progress to send to the service. */
public final class TunnelAnswers {

  private TunnelAnswers() {}

  /** Converts the fixed properties of a tunnel. */
  public static TunnelInfo info(Control.TunnelInfo info) {
    return new TunnelInfo(
        info.tunnelId(),
        info.tunnel(),
        info.table(),
        info.type(),
        new StreamTunnelConfig(info.start(), info.startMs(), info.endMs()),
        info.createdMs());
  }

  /** Converts the description of a tunnel and its channels. */
  public static DescribeTunnelResponse description(Control.TunnelDescription tunnel) {
    return new DescribeTunnelResponse(
        info(tunnel.info()),
        tunnel.channels().stream().map(TunnelAnswers::channel).toList(),
        tunnel.isPaused(),
        tunnel.sessions().stream().map(TunnelAnswers::session).toList(),
        tunnel.skipped().count(),
        tunnel.skipped().last().stream().map(TunnelAnswers::skipped).toList());
  }

  private static SessionInfo session(SessionDescription session) {
    return new SessionInfo(
        session.sessionId(),
        session.clientTag(),
        session.channels(),
        session.channelsMax(),
        session.leaseLeftMs());
  }

  private static SkippedChange skipped(FailureControl.SkippedChange change) {
    return new SkippedChange(
        change.partition(),
        change.type(),
        change.position(),
        change.key(),
        change.error(),
        change.skippedMs());
  }

  /** Converts the description of a channel. */
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

  /** Converts exported progress. */
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

  /** Converts progress for an import. */
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

  /** Converts a request to move progress. */
  public static Seek payload(SeekTunnelRequest request) {
    return new Seek(
        request.tableName(),
        request.tunnelName(),
        request.channelIds(),
        request.edge(),
        request.timeMs(),
        request.position(),
        request.checkpoints().map(TunnelAnswers::payload),
        request.isDryRun());
  }

  /** Converts the result of a seek. */
  public static List<ChannelMove> moves(SeekResult result) {
    return result.moves().stream()
        .map(
            move ->
                new ChannelMove(
                    move.channelId(), move.partition(), move.type(), move.from(), move.to()))
        .toList();
  }
}
