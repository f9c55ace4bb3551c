package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few faults of a node of a cluster, which asks everybody who they are, and of three nodes. */
@Tag("proof-cluster")
class ClusterTortureTest extends TortureFixture {

  @Test
  void nothing_is_lost_by_kills_and_suspensions_of_a_node(@TempDir Path directory) {
    var unused = torture(directory, "--log", "kafka", "--secure");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void nothing_is_lost_by_faults_of_three_nodes_on_three_brokers(@TempDir Path directory) {
    var unused =
        torture(directory, "--log", "kafka", "--nodes", "3", "--faults", "empty,drain,broker-kill");
    assertThat(directory).isEmptyDirectory();
  }
}
