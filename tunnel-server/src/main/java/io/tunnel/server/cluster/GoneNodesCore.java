package io.tunnel.server.cluster;

import io.tunnel.wire.control.ClusterControl.GoneNode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which nodes were members of the cluster and are none any more, so that a node that died does not
 * just vanish. It knows what this node has seen since its start. A node is forgotten when it comes
 * back, after a week, or when there are too many.
 */
public final class GoneNodesCore {

  static final int GONE_MAX = 100;
  static final long GONE_MS_MAX = TimeUnit.DAYS.toMillis(7);

  /** The members by name, as they were seen last. */
  private Map<String, GoneNode> seen = new LinkedHashMap<>();

  /** By name, the one that went first first; at most {@link #GONE_MAX}, none of them a member. */
  private final Map<String, GoneNode> gone = new LinkedHashMap<>();

  /** Those that are gone, when {@code members} are what there is at {@code nowMs}. */
  public List<GoneNode> see(Collection<Placement.Member> members, long nowMs) {
    Map<String, GoneNode> now = new LinkedHashMap<>();
    members.forEach(node -> now.put(node.name(), new GoneNode(node.name(), node.address(), nowMs)));
    seen.forEach(
        (name, node) -> {
          if (!now.containsKey(name)) {
            gone.put(name, node);
          }
        });
    gone.keySet().removeAll(now.keySet());
    gone.values().removeIf(node -> node.lastSeenMs() < nowMs - GONE_MS_MAX);
    while (gone.size() > GONE_MAX) {
      gone.remove(gone.keySet().iterator().next());
    }
    seen = now;
    return List.copyOf(gone.values());
  }
}
