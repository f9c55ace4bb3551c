package io.tunnel.cli.tunnels;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;

/** Tunnels and their channels for programs; what there is not, or is not known, is null. */
final class TunnelJson {

  private TunnelJson() {}

  static JsonObject json(List<TunnelInfo> tunnels) {
    JsonArray array = new JsonArray();
    tunnels.forEach(tunnel -> array.add(json(tunnel)));
    JsonObject json = new JsonObject();
    json.add("tunnels", array);
    return json;
  }

  static JsonObject json(TunnelInfo tunnel) {
    JsonObject json = new JsonObject();
    json.addProperty("tunnelId", tunnel.getTunnelId());
    json.addProperty("tunnel", tunnel.getTunnelName());
    json.addProperty("table", tunnel.getTableName());
    json.addProperty("type", tunnel.getTunnelType().name());
    json.addProperty("start", tunnel.getStreamTunnelConfig().flag().name());
    json.addProperty("startMs", tunnel.getStreamTunnelConfig().startOffset().orElse(null));
    json.addProperty("endMs", tunnel.getStreamTunnelConfig().endOffset().orElse(null));
    json.addProperty("createdMs", tunnel.getCreateTime());
    return json;
  }

  /** {@link #json(TunnelInfo)} with what the channels are behind in all, and each of them. */
  static JsonObject json(DescribeTunnelResponse tunnel) {
    List<ChannelInfo> channels = tunnel.getChannelInfos();
    JsonObject json = json(tunnel.getTunnelInfo());
    json.addProperty("stage", tunnel.stage().name());
    json.addProperty("isPaused", tunnel.isPaused());
    json.addProperty("lagRows", known(tunnel.lagRows()));
    json.addProperty("isLagEstimated", tunnel.isLagEstimated());
    json.addProperty("lagChanges", known(tunnel.lagChanges()));
    json.addProperty("lagBytes", known(tunnel.lagBytes()));
    json.addProperty("lagMs", known(tunnel.getTunnelRpo()));
    JsonArray array = new JsonArray();
    channels.forEach(channel -> array.add(json(channel)));
    json.add("channels", array);
    JsonArray sessions = new JsonArray();
    tunnel.sessionInfos().forEach(session -> sessions.add(json(session)));
    json.add("sessions", sessions);
    TroubleReport.add(json, tunnel);
    return json;
  }

  private static JsonObject json(ChannelInfo channel) {
    JsonObject json = new JsonObject();
    json.addProperty("channelId", channel.getChannelId());
    json.addProperty("partition", channel.partition());
    json.addProperty("type", channel.getChannelType().name());
    json.addProperty("state", channel.getChannelStatus().name());
    json.addProperty("isPaused", channel.isPaused());
    json.addProperty("error", channel.error().orElse(null));
    json.addProperty("owner", channel.getClientId());
    json.addProperty("clientTag", channel.clientTag().orElse(null));
    json.addProperty("epoch", channel.epoch());
    json.addProperty("checkpointed", channel.checkpointed());
    json.addProperty("delivered", channel.delivered());
    json.addProperty("committed", channel.committed());
    json.addProperty("end", channel.end().orElse(null));
    json.addProperty("lagRows", known(channel.lagRows()));
    json.addProperty("isLagEstimated", channel.isLagEstimated());
    json.addProperty("lagBytes", known(channel.lagBytes()));
    json.addProperty("lagMs", known(channel.getChannelRpo()));
    json.addProperty("historyLeftMs", channel.historyLeftMs().orElse(null));
    JsonArray waitsFor = new JsonArray();
    channel.waitsFor().forEach(waitsFor::add);
    json.add("waitsFor", waitsFor);
    TroubleReport.add(json, channel);
    return json;
  }

  private static Number known(long figure) {
    return figure == ChannelInfo.UNKNOWN ? null : figure;
  }

  private static JsonObject json(SessionInfo session) {
    JsonObject json = new JsonObject();
    json.addProperty("sessionId", session.clientId());
    json.addProperty("clientTag", session.clientTag());
    json.addProperty("channels", session.channels());
    json.addProperty("channelsMax", session.channelsMax());
    json.addProperty("leaseLeftMs", session.leaseLeftMs());
    return json;
  }
}
