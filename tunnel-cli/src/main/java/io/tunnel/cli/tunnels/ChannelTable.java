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

  /** What gives way before owners are cut. */
  private static final List<String> FIRST = List.of("EPOCH", "TYPE");

  /** What a narrow terminal does not show, the first first; how far a channel is behind, always. */
  private static final List<String> GIVING_WAY =
      List.of(
          "EPOCH",
          "TYPE",
          "DELIVERED",
          "END",
          "CHECKPOINTED",
          "LAG BYTES",
          "CHANNEL",
          "COMMITTED",
          "OWNER");

  /** Characters of a session id that are enough to tell sessions apart on one page. */
  private static final int SHORT_ID = 8;

  /** What the node that answered cannot know. */
  private static final String UNKNOWN = "?";

  /** Lines of at most {@code columnsMax} characters if that can be. */
  List<String> lines(int columnsMax) {
    List<String> whole = table(false).lines(columnsMax, FIRST);
    return whole.stream().allMatch(line -> line.length() <= columnsMax)
        ? whole
        : table(true).lines(columnsMax, GIVING_WAY);
  }

  private TextTable table(boolean hasShortOwners) {
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
      List<String> cells = cells(channel, hasShortOwners);
      if (hasEnds) {
        cells.add(channel.end().map(Human::count).orElse(NONE));
      }
      if (hasHistory) {
        cells.add(channel.historyLeftMs().map(ChannelTable::historyLeft).orElse(NONE));
      }
      table.row(cells);
    }
    return table;
  }

  private static List<String> cells(ChannelInfo channel, boolean hasShortOwner) {
    return new ArrayList<>(
        List.of(
            channel.getChannelId(),
            Integer.toString(channel.partition()),
            channel.getChannelType().name(),
            state(channel),
            owner(channel, hasShortOwner),
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

  private static String owner(ChannelInfo channel, boolean isShort) {
    return Optional.ofNullable(channel.getClientId())
        .map(id -> isShort && id.length() > SHORT_ID ? id.substring(0, SHORT_ID) : id)
        .map(owner -> channel.clientTag().map(tag -> tag + " " + owner).orElse(owner))
        .orElse(NONE);
  }
}
