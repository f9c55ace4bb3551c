package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few kills and suspensions of a node of a cluster, which asks everybody who they are. */
@Tag("proof-cluster")
class ClusterTortureTest extends TortureFixture {

  @Test
  void nothing_is_lost_by_kills_and_suspensions_of_a_node(@TempDir Path directory) {
    var unused = torture(directory, "--log", "kafka", "--secure");
    assertThat(directory).isEmptyDirectory();
  }
}
