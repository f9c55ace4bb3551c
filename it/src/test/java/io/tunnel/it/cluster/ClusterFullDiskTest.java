package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.SmallDisk;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes as processes, one of which has its directory in a file system that becomes full, while a
 * writer writes and two workers consume. Needs root, who may mount.
 */
@Tag("proof-cluster")
class ClusterFullDiskTest {

  private static final int PARTITIONS = 6;

  /** What a node keeps free, and as much again. */
  private static final int DISK_MIB = 512;

  @RegisterExtension private final Stage stage = new Stage();

  @Test
  void a_node_without_room_hands_over_and_takes_part_again_and_nothing_is_lost()
      throws IOException {
    Cluster cluster = new Cluster(stage, 2);
    SmallDisk disk = SmallDisk.mount(stage, cluster.node(0).data(), DISK_MIB);
    cluster.start(2);
    NodeProcess full = cluster.node(0);
    NodeProcess other = cluster.node(1);
    Traffic traffic = stage.closing(new Traffic(stage, cluster, PARTITIONS));
    disk.fill(0);
    Poll.until("a page that says so", () -> health(full).contains("DISK_FULL"));
    Poll.until(
        Cluster.REST,
        () -> Cluster.ledBy(other, other).size() == PARTITIONS,
        () -> "all is led elsewhere, but " + Cluster.seenBy(other));
    traffic.awaitFlow();
    assertThat(other.http("/health", 200)).contains("\"UP\"");
    disk.fill(0);
    traffic.awaitFlow();
    disk.clear();
    Poll.until("a page that says so", () -> health(full).contains("\"UP\""));
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  /** The page, whatever it says. */
  private static String health(NodeProcess node) {
    try {
      return node.http("/health", 503);
    } catch (AssertionError healthy) {
      return node.http("/health", 200);
    }
  }
}
