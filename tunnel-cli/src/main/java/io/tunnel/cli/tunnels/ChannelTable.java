package io.tunnel.cli.tunnels;

import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** The channels of a tunnel, one a line. Columns that no channel has anything for are left out. */
record ChannelTable(List<ChannelInfo> channels) {

  private static final String NONE = "-";

  /** What a narrow terminal does not show, the first first; how far a channel is behind, always. */
  private static final List<String> GIVING_WAY =
      List.of("EPOCH", "TYPE", "DELIVERED", "END", "COMMITTED", "OWNER", "CHECKPOINTED", "CHANNEL");

  /** What the node that answered cannot know. */
  private static final String UNKNOWN = "?";

  /** Lines of at most {@code columnsMax} characters if that can be. */
  List<String> lines(int columnsMax) {
    boolean hasEnds = channels.stream().anyMatch(channel -> channel.end().isPresent());
    boolean hasHistory = channels.stream().anyMatch(channel -> channel.historyLeftMs().isPresent());
    List<String> headings =
        new ArrayList<>(
            List.of(
                "CHANNEL",
                ">PARTITION",
                "TYPE",
                "STATE",
                "OWNER",
                ">EPOCH",
                ">CHECKPOINTED",
                ">DELIVERED",
                ">COMMITTED",
                ">LAG ROWS",
                ">LAG BYTES",
                ">LAG TIME"));
    if (hasEnds) {
      headings.add(">END");
    }
    if (hasHistory) {
      headings.add(">HISTORY LEFT");
    }
    TextTable table = new TextTable(headings);
    for (ChannelInfo channel : channels) {
      List<String> cells = cells(channel);
      if (hasEnds) {
        cells.add(channel.end().map(Human::count).orElse(NONE));
      }
      if (hasHistory) {
        cells.add(channel.historyLeftMs().map(ChannelTable::historyLeft).orElse(NONE));
      }
      table.row(cells);
    }
    return table.lines(columnsMax, GIVING_WAY);
  }

  private static List<String> cells(ChannelInfo channel) {
    return new ArrayList<>(
        List.of(
            channel.getChannelId(),
            Integer.toString(channel.partition()),
            channel.getChannelType().name(),
            state(channel),
            owner(channel),
            Long.toString(channel.epoch()),
            Human.count(channel.checkpointed()),
            Human.count(channel.delivered()),
            Human.count(channel.committed()),
            (channel.isLagEstimated() ? "~" : "") + known(channel.lagRows(), Human::count),
            known(channel.lagBytes(), Human::bytes),
            known(channel.getChannelRpo(), Human::duration)));
  }

  private static String historyLeft(long ms) {
    if (ms < 0) {
      return "LOST";
    }
    return ms == 0 ? "any moment" : Human.duration(ms);
  }

  private static String known(long figure, LongFunction<String> text) {
    return figure == ChannelInfo.UNKNOWN ? UNKNOWN : text.apply(figure);
  }

  private static String state(ChannelInfo channel) {
    return channel.getChannelStatus()
        + (channel.isPaused() ? " PAUSED" : "")
        + TroubleReport.state(channel);
  }

  private static String owner(ChannelInfo channel) {
    return Optional.ofNullable(channel.getClientId())
        .map(owner -> channel.clientTag().map(tag -> tag + " " + owner).orElse(owner))
        .orElse(NONE);
  }
}
