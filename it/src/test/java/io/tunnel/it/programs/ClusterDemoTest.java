package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo of a cluster, with a Kafka and nodes in processes of their own. */
@Tag("proof-nodes")
class ClusterDemoTest extends DemoFixture {

  @Test
  void every_acknowledged_change_arrives_once_and_in_order() {
    JsonObject summary = verified(demo("--nodes", "3", "--rows", "20000", "--json"));
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(20_000);
  }

  @Test
  void closed_nodes_prove_the_same() {
    ChildProcess demo = demo("--secure", "--nodes", "3", "--rows", "20000", "--json");
    assertThat(verified(demo).get("rowsWritten").getAsLong()).isEqualTo(20_000);
    assertThat(demo.transcript()).contains("3 closed nodes");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void an_interrupted_demo_of_a_cluster_leaves_nothing_either(int processes) {
    ChildProcess demo = demo("--nodes", "2", "--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("no Kafka, or no nodes", () -> demo.descendants().size() == processes);
    interrupt(demo, directory);
  }

  @Test
  void what_a_killed_demo_has_started_ends_and_the_next_demo_removes_its_data() {
    ChildProcess demo = demo("--nodes", "2", "--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("no Kafka and two nodes run", () -> demo.descendants().size() == 3);
    List<ProcessHandle> children = demo.descendants();
    demo.kill();
    Poll.until(
        "something goes on without the demo",
        () -> children.stream().noneMatch(ProcessHandle::isAlive));
    JsonObject unused = verified(demo("--rows", "1000", "--json"));
    assertThat(directory).doesNotExist();
  }
}
