package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {

  @Test
  void the_page_of_a_server_that_is_alone() {
    assertThat(new Health.Alone("UP", 3, 2).text())
        .isEqualTo("{\"status\":\"UP\",\"connections\":3,\"tables\":2}");
  }

  @Test
  void the_page_of_a_node_whatever_it_is_called() {
    assertThat(new Health.OfNode("STORAGE_FAILED", "n\"1", 3, 2, 5, 7, List.of()).text())
        .isEqualTo(
            "{\"status\":\"STORAGE_FAILED\",\"node\":\"n\\\"1\",\"nodes\":3,\"leads\":2,\"replicas\":5,"
                + "\"connections\":7,\"failed\":[]}");
    List<String> many = Collections.nCopies(Health.OfNode.FAILED_MAX + 1, "partition 1 is FAILED");
    assertThat(new Health.OfNode("UP", "n1", 3, 2, 5, 7, many).failed())
        .hasSize(Health.OfNode.FAILED_MAX);
  }
}
