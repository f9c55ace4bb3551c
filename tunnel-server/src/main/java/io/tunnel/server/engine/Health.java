package io.tunnel.server.engine;

import com.google.gson.Gson;

/** What the page of a server's health says, as JSON. */
public sealed interface Health {

  /** The page. */
  default String text() {
    return new Gson().toJson(this);
  }

  /** Of a server that is alone. */
  record Alone(String status, int connections, int tables) implements Health {}

  /**
   * Of a node of a cluster.
   *
   * @param nodes members of the cluster, as far as the node knows
   * @param leads partitions that take writes here
   */
  record OfNode(String status, String node, int nodes, int leads, int replicas, int connections)
      implements Health {}
}
