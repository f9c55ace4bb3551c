package io.tunnel.server.engine;

import com.google.gson.Gson;
import java.util.List;

/** The content of a server's health page, as JSON. */
public sealed interface Health {

  /** The page. */
  default String text() {
    return new Gson().toJson(this);
  }

  /** The health of a server without a cluster. */
  record Alone(String status, int connections, int tables) implements Health {}

  /**
   * The health of a server without a cluster whose wall clock has jumped and is not believed.
   *
   * @param clock by how much the wall clock differs from the server's time
   */
  record ClockInDoubt(String status, int connections, int tables, String clock) implements Health {}

  /**
   * The health of a node of a cluster.
   *
   * @param nodes members of the cluster that the node knows
   * @param leads partitions that take writes here
   * @param failed why replicas of this node serve nothing, {@value #FAILED_MAX} of them at most
   */
  record OfNode(
      String status,
      String node,
      int nodes,
      int leads,
      int replicas,
      int connections,
      List<String> failed)
      implements Health {

    /** Failures that the page has at most. */
    public static final int FAILED_MAX = 10;

    /** Keeps the first failures. */
    public OfNode {
      failed = failed.stream().limit(FAILED_MAX).toList();
    }
  }
}
