package io.tunnel.server.node;

import io.tunnel.server.changes.Together;
import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Has the leaders of partitions keep rows for tunnels. No message is repeated: a node without news
 * drops rows of a tunnel by their age. Safe for use by any thread.
 */
record LeaderPins(LeaderLooks leaders) {

  /**
   * Has the leader of each partition keep the rows for a tunnel.
   *
   * @return by partition, the position up to which the rows have all changes; fails with an {@link
   *     java.io.IOException} that names a partition, when all questions have ended
   */
  CompletableFuture<Map<Integer, Pinned>> pin(String tunnelId, Collection<Integer> partitions) {
    return Together.of(
        leaders.pin(partitions.stream().map(each -> new Pin(each, tunnelId)).toList()));
  }

  /** Has the leader of a partition drop the rows of the partition for a tunnel. */
  void unpin(String tunnelId, int partition) {
    var unused = leaders.unpin(List.of(new Unpin(partition, tunnelId)));
  }

  /** Has all nodes, also former leaders, drop the rows of a tunnel. */
  void unpin(String tunnelId) {
    Unpin question = new Unpin(0, tunnelId);
    for (Placement.Member node : leaders.placement().get().nodes()) {
      var unused = leaders.askNode(node, question);
    }
  }
}
