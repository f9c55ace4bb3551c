package io.tunnel.it.sim.story;

import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a story calls things: partitions {@code p1} and so on, like their stream channels; base
 * channels {@code p1.base}; with a tunnel in front where there are several.
 */
final class StoryNames {

  private static final String BASE = "_base";

  private final List<Integer> partitions = new ArrayList<>();
  private final Map<String, String> tunnelById = new TreeMap<>();
  private final Set<String> tunnels = new LinkedHashSet<>();
  private final Map<String, String> workerBySession = new TreeMap<>();

  void partitions(List<Integer> ids) {
    partitions.addAll(ids);
  }

  void tunnel(TunnelInfo info) {
    tunnelById.put(info.tunnelId(), info.tunnel());
    tunnels.add(info.tunnel());
  }

  void session(String sessionId, String worker) {
    workerBySession.put(sessionId, worker);
  }

  String partition(int id) {
    return "p" + (partitions.indexOf(id) + 1);
  }

  int partition(String name) {
    return partitions.get(index(name));
  }

  int index(String name) {
    return Integer.parseInt(name.substring(1)) - 1;
  }

  /** A channel by its id. */
  String channel(String id) {
    String rest = id.substring(id.indexOf('_') + 1);
    String suffix = rest.endsWith(BASE) ? ".base" : "";
    String tunnel = rest.substring(0, rest.length() - (suffix.isEmpty() ? 0 : BASE.length()));
    return (tunnels.size() > 1 ? tunnelById.get(tunnel) + "/" : "")
        + partition(Integer.parseInt(id.substring(0, id.indexOf('_'))))
        + suffix;
  }

  /** The id of a channel of a tunnel. */
  String channelId(String tunnelId, String name) {
    int dot = name.indexOf('.');
    return partition(dot < 0 ? name : name.substring(0, dot))
        + "_"
        + tunnelId
        + (dot < 0 ? "" : BASE);
  }

  /** A text of the server's with the ids in it as this story calls them. */
  String plain(String text) {
    String plain = text;
    for (Map.Entry<String, String> tunnel : tunnelById.entrySet()) {
      for (int id : partitions) {
        String channel = id + "_" + tunnel.getKey();
        plain = plain.replace(channel + BASE, channel(channel + BASE));
        plain = plain.replace(channel, channel(channel));
        plain = plain.replace("partition " + id + " ", "partition " + partition(id) + " ");
      }
      plain = plain.replace(tunnel.getKey(), tunnel.getValue());
    }
    for (Map.Entry<String, String> session : workerBySession.entrySet()) {
      plain = plain.replace("session " + session.getKey(), "the session of " + session.getValue());
    }
    return plain;
  }
}
