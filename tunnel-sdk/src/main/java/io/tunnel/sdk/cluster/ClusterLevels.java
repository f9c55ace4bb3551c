package io.tunnel.sdk.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The level of a cluster, or of a single server, and the highest level of each of its servers.
 *
 * @param level the level now
 * @param levelMaxByNode by name of the node, the highest level that the node's build serves; a
 *     single server has the name {@code server}
 */
public record ClusterLevels(int level, Map<String, Integer> levelMaxByNode) {

  /** Copies the map, in the order of the names. */
  public ClusterLevels {
    levelMaxByNode = Collections.unmodifiableMap(new TreeMap<>(levelMaxByNode));
  }

  /** The highest level that all servers serve. */
  public int reachable() {
    return levelMaxByNode.values().stream().mapToInt(Integer::intValue).min().orElse(level);
  }

  /** The highest level that any server serves. */
  public int newest() {
    return levelMaxByNode.values().stream().mapToInt(Integer::intValue).max().orElse(level);
  }

  /** The servers that do not serve a level, in the order of their names. */
  public List<String> lacking(int wanted) {
    return levelMaxByNode.entrySet().stream()
        .filter(node -> node.getValue() < wanted)
        .map(Map.Entry::getKey)
        .toList();
  }
}
