package io.tunnel.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.sdk.ChannelInfo;
import io.tunnel.sdk.DescribeTunnelResponse;
import io.tunnel.sdk.TunnelInfo;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Tunnels and their channels for people and for programs. */
final class TunnelReport {

  private TunnelReport() {}

  /** One line a tunnel. */
  static List<String> lines(List<TunnelInfo> tunnels) {
    TextTable table = new TextTable("TABLE", "TUNNEL", "TYPE", "START", "CREATED", "ID");
    for (TunnelInfo tunnel : tunnels) {
      table.row(
          tunnel.tableName(),
          tunnel.tunnelName(),
          tunnel.tunnelType().name(),
          tunnel.start().name(),
          Instant.ofEpochMilli(tunnel.createdMs()).toString(),
          tunnel.tunnelId());
    }
    return table.lines();
  }

  /** A tunnel, one line a channel, and how far it is behind in all. */
  static List<String> lines(DescribeTunnelResponse tunnel) {
    TunnelInfo info = tunnel.tunnelInfo();
    List<String> lines = new ArrayList<>();
    lines.add(
        "tunnel "
            + info.tunnelName()
            + " of table "
            + info.tableName()
            + ": "
            + info.tunnelType()
            + " from "
            + info.start()
            + ", created "
            + Instant.ofEpochMilli(info.createdMs())
            + ", id "
            + info.tunnelId());
    lines.add("");
    lines.addAll(channels(tunnel.channelInfos()).lines());
    lines.add("");
    lines.add(summary(tunnel.channelInfos()));
    return lines;
  }

  private static TextTable channels(List<ChannelInfo> channels) {
    TextTable table =
        new TextTable(
            "CHANNEL",
            ">PARTITION",
            "STATE",
            "OWNER",
            ">EPOCH",
            ">CHECKPOINTED",
            ">DELIVERED",
            ">COMMITTED",
            ">LAG ROWS",
            ">LAG BYTES",
            ">LAG TIME");
    for (ChannelInfo channel : channels) {
      table.row(
          channel.getChannelId(),
          Integer.toString(channel.partition()),
          channel.getChannelStatus().name(),
          owner(channel),
          Long.toString(channel.epoch()),
          Human.count(channel.checkpointed()),
          Human.count(channel.delivered()),
          Human.count(channel.committed()),
          Human.count(channel.lagRows()),
          Human.bytes(channel.lagBytes()),
          Human.duration(channel.lagMs()));
    }
    return table;
  }

  private static String owner(ChannelInfo channel) {
    return channel
        .owner()
        .map(owner -> channel.clientTag().map(tag -> tag + " " + owner).orElse(owner))
        .orElse("-");
  }

  private static String summary(List<ChannelInfo> channels) {
    long held = channels.stream().filter(channel -> channel.owner().isPresent()).count();
    long owners = channels.stream().flatMap(channel -> channel.owner().stream()).distinct().count();
    long lagMs = channels.stream().mapToLong(ChannelInfo::lagMs).max().orElse(0);
    return channels.size()
        + " channels, "
        + held
        + " held by "
        + owners
        + (owners == 1 ? " session" : " sessions")
        + "; behind by "
        + Human.count(lagRows(channels))
        + " rows, "
        + Human.bytes(lagBytes(channels))
        + ", "
        + Human.duration(lagMs);
  }

  static JsonObject json(List<TunnelInfo> tunnels) {
    JsonArray array = new JsonArray();
    tunnels.forEach(tunnel -> array.add(json(tunnel)));
    JsonObject json = new JsonObject();
    json.add("tunnels", array);
    return json;
  }

  static JsonObject json(TunnelInfo tunnel) {
    JsonObject json = new JsonObject();
    json.addProperty("tunnelId", tunnel.tunnelId());
    json.addProperty("tunnel", tunnel.tunnelName());
    json.addProperty("table", tunnel.tableName());
    json.addProperty("type", tunnel.tunnelType().name());
    json.addProperty("start", tunnel.start().name());
    json.addProperty("createdMs", tunnel.createdMs());
    return json;
  }

  /** {@link #json(TunnelInfo)} with what the channels are behind in all, and each of them. */
  static JsonObject json(DescribeTunnelResponse tunnel) {
    JsonObject json = json(tunnel.tunnelInfo());
    json.addProperty("lagRows", lagRows(tunnel.channelInfos()));
    json.addProperty("lagBytes", lagBytes(tunnel.channelInfos()));
    JsonArray channels = new JsonArray();
    tunnel.channelInfos().forEach(channel -> channels.add(json(channel)));
    json.add("channels", channels);
    return json;
  }

  private static JsonObject json(ChannelInfo channel) {
    JsonObject json = new JsonObject();
    json.addProperty("channelId", channel.getChannelId());
    json.addProperty("partition", channel.partition());
    json.addProperty("state", channel.getChannelStatus().name());
    json.addProperty("owner", channel.owner().orElse(null));
    json.addProperty("clientTag", channel.clientTag().orElse(null));
    json.addProperty("epoch", channel.epoch());
    json.addProperty("checkpointed", channel.checkpointed());
    json.addProperty("delivered", channel.delivered());
    json.addProperty("committed", channel.committed());
    json.addProperty("lagRows", channel.lagRows());
    json.addProperty("lagBytes", channel.lagBytes());
    json.addProperty("lagMs", channel.lagMs());
    return json;
  }

  private static long lagRows(List<ChannelInfo> channels) {
    return channels.stream().mapToLong(ChannelInfo::lagRows).sum();
  }

  private static long lagBytes(List<ChannelInfo> channels) {
    return channels.stream().mapToLong(ChannelInfo::lagBytes).sum();
  }
}
