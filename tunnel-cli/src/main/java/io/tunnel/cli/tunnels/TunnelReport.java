package io.tunnel.cli.tunnels;

import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;

/** Tunnels and their channels for people. */
final class TunnelReport {

  private static final String NONE = "-";
  private static final List<String> SESSIONS_GIVING_WAY = List.of("AT MOST", "SESSION");

  private TunnelReport() {}

  /** One line a tunnel. */
  static List<String> lines(List<TunnelInfo> tunnels) {
    TextTable table = new TextTable("TABLE", "TUNNEL", "TYPE", "START", "END", "CREATED", "ID");
    for (TunnelInfo tunnel : tunnels) {
      table.row(
          tunnel.getTableName(),
          tunnel.getTunnelName(),
          tunnel.getTunnelType().name(),
          tunnel.getTunnelType() == TunnelType.Stream ? start(tunnel) : NONE,
          end(tunnel).orElse(NONE),
          Instant.ofEpochMilli(tunnel.getCreateTime()).toString(),
          tunnel.getTunnelId());
    }
    return table.lines();
  }

  private static String start(TunnelInfo tunnel) {
    return tunnel
        .getStreamTunnelConfig()
        .startOffset()
        .map(ms -> Instant.ofEpochMilli(ms).toString())
        .orElse(tunnel.getStreamTunnelConfig().flag().name());
  }

  private static Optional<String> end(TunnelInfo tunnel) {
    return tunnel
        .getStreamTunnelConfig()
        .endOffset()
        .map(ms -> Instant.ofEpochMilli(ms).toString());
  }

  /** What a tunnel delivers, and its id. */
  static String kind(TunnelInfo tunnel) {
    String stream =
        tunnel.getTunnelType() == TunnelType.Stream
            ? " from " + start(tunnel) + end(tunnel).map(end -> " until " + end).orElse("")
            : "";
    return tunnel.getTunnelType() + stream + ", id " + tunnel.getTunnelId();
  }

  /** A tunnel, one line a channel and a session, and how far it is behind in all. */
  static List<String> lines(DescribeTunnelResponse tunnel, int columnsMax) {
    TunnelInfo info = tunnel.getTunnelInfo();
    List<ChannelInfo> channels = tunnel.getChannelInfos();
    List<String> lines = new ArrayList<>();
    lines.add(
        "tunnel "
            + info.getTunnelName()
            + " of table "
            + info.getTableName()
            + ": "
            + kind(info)
            + ", created "
            + Instant.ofEpochMilli(info.getCreateTime())
            + ", "
            + tunnel.stage()
            + (tunnel.isPaused() ? ", PAUSED" : ""));
    lines.add("");
    lines.addAll(new ChannelTable(channels).lines(columnsMax));
    List<String> remarks = remarks(channels);
    if (!remarks.isEmpty()) {
      lines.add("");
      lines.addAll(remarks);
    }
    List<String> skipped = TroubleReport.skipped(tunnel);
    if (!skipped.isEmpty()) {
      lines.add("");
      lines.addAll(skipped);
    }
    if (!tunnel.sessionInfos().isEmpty()) {
      lines.add("");
      lines.addAll(sessions(tunnel.sessionInfos()).lines(columnsMax, SESSIONS_GIVING_WAY));
    }
    lines.add("");
    lines.add(summary(tunnel));
    return lines;
  }

  /** What an operator should know about channels and does not fit into their lines. */
  private static List<String> remarks(List<ChannelInfo> channels) {
    List<String> remarks = new ArrayList<>(TroubleReport.lines(channels));
    List<ChannelInfo> waiting =
        channels.stream().filter(channel -> !channel.waitsFor().isEmpty()).toList();
    if (!waiting.isEmpty()) {
      ChannelInfo first = waiting.get(0);
      remarks.add(
          "channel "
              + first.getChannelId()
              + " waits for "
              + String.join(", ", first.waitsFor())
              + (waiting.size() == 1 ? "" : ", and " + (waiting.size() - 1) + " more wait alike"));
    }
    return remarks;
  }

  private static TextTable sessions(List<SessionInfo> sessions) {
    TextTable table = new TextTable("SESSION", "WORKER", ">CHANNELS", ">AT MOST", ">LEASE LEFT");
    for (SessionInfo session : sessions) {
      table.row(
          session.clientId(),
          session.clientTag(),
          Integer.toString(session.channels()),
          session.channelsMax() == 0 ? NONE : Integer.toString(session.channelsMax()),
          Human.duration(session.leaseLeftMs()));
    }
    return table;
  }

  private static String summary(DescribeTunnelResponse tunnel) {
    List<ChannelInfo> channels = tunnel.getChannelInfos();
    long held = channels.stream().filter(channel -> channel.getClientId() != null).count();
    long owners =
        channels.stream().map(ChannelInfo::getClientId).filter(Objects::nonNull).distinct().count();
    return channels.size()
        + (channels.size() == 1 ? " channel, " : " channels, ")
        + held
        + " held by "
        + owners
        + (owners == 1 ? " session" : " sessions")
        + "; behind by "
        + rows(tunnel)
        + ", "
        + known(tunnel.lagBytes(), Human::bytes, "bytes")
        + ", "
        + known(tunnel.getTunnelRpo(), Human::duration, "time");
  }

  /** Changes and rows that are not checkpointed; without base data where its rows are unknown. */
  static String rows(DescribeTunnelResponse tunnel) {
    if (tunnel.lagRows() == ChannelInfo.UNKNOWN && tunnel.lagChanges() != ChannelInfo.UNKNOWN) {
      return Human.counted(tunnel.lagChanges(), "change") + " and base data of unknown size";
    }
    return (tunnel.isLagEstimated() ? "about " : "")
        + known(tunnel.lagRows(), rows -> Human.counted(rows, "row"), "rows");
  }

  private static String known(long figure, LongFunction<String> text, String what) {
    return figure == ChannelInfo.UNKNOWN ? what + " unknown" : text.apply(figure);
  }
}
