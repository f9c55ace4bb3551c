package io.tunnel.perf;

import io.tunnel.model.ChannelStatus;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;

/**
 * Why nothing comes of a tunnel, or not of all its channels.
 *
 * @param isOver whether everything was delivered, and no operator need do anything
 * @param sentence for people
 */
record Standstill(boolean isOver, String sentence) {

  /** What a description says; empty when nothing keeps the channels from going on. */
  static Optional<Standstill> of(DescribeTunnelResponse tunnel) {
    List<ChannelInfo> channels = tunnel.getChannelInfos();
    String name = name(tunnel.getTunnelInfo());
    String which =
        " --table "
            + tunnel.getTunnelInfo().getTableName()
            + " --tunnel "
            + tunnel.getTunnelInfo().getTunnelName()
            + "'";
    String resume = ": 'tunnel tunnels resume" + which + " lets ";
    List<ChannelInfo> stopped =
        channels.stream().filter(channel -> channel.error().isPresent()).toList();
    if (!stopped.isEmpty()) {
      ChannelInfo first = stopped.get(0);
      return waits(
          part(stopped.size(), channels.size(), name)
              + " stopped by an error"
              + (stopped.stream().anyMatch(ChannelInfo::hasLostHistory)
                  ? ": 'tunnel tunnels seek --to earliest"
                      + which
                      + " moves them to what is kept,"
                      + " then"
                      + resume.substring(1)
                  : resume)
              + "them go on. Of "
              + first.getChannelId()
              + " it is: "
              + first.error().orElseThrow());
    }
    if (tunnel.isPaused()) {
      return waits(name + " is paused" + resume + "it go on");
    }
    long paused = channels.stream().filter(ChannelInfo::isPaused).count();
    if (paused > 0) {
      return waits(part(paused, channels.size(), name) + " paused" + resume + "them go on");
    }
    boolean isOver =
        !channels.isEmpty()
            && channels.stream()
                .allMatch(channel -> channel.getChannelStatus() == ChannelStatus.TERMINATED);
    return isOver
        ? Optional.of(
            new Standstill(true, name + " has ended: everything was delivered, no more will come"))
        : Optional.empty();
  }

  private static String name(TunnelInfo tunnel) {
    return "tunnel '" + tunnel.getTunnelName() + "' of table '" + tunnel.getTableName() + "'";
  }

  private static String part(long some, int all, String name) {
    return some + " of " + all + " channels of " + name + (some == 1 ? " is" : " are");
  }

  private static Optional<Standstill> waits(String sentence) {
    return Optional.of(new Standstill(false, sentence));
  }
}
