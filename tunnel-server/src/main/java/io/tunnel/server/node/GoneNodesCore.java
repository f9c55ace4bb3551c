package io.tunnel.server.node;

import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Remembers former members of the cluster, so that descriptions still show a node that died. Covers
 * the time since the start of this node. A former member is forgotten when it joins again, after
 * {@link #GONE_MS_MAX}, or when more than {@link #GONE_MAX} are remembered.
 */
final class GoneNodesCore {

  static final int GONE_MAX = 100;
  static final long GONE_MS_MAX = TimeUnit.DAYS.toMillis(7);

  /** The members of the last look, by name. */
  private Map<String, GoneNode> seen = new LinkedHashMap<>();

  /** Former members by name, the earliest loss first; at most {@link #GONE_MAX}, none a member. */
  private final Map<String, GoneNode> gone = new LinkedHashMap<>();

  /** Takes a look at the members at {@code nowMs}, and returns the former members. */
  List<GoneNode> see(Collection<Placement.Member> members, long nowMs) {
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
