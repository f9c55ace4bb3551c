package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FormWatchTest {

  private Optional<String> objection = Optional.empty();
  private final List<String> stops = new ArrayList<>();

  @Test
  void a_node_stops_once_when_the_cluster_turns_out_to_have_another_form() {
    FormWatch watch = new FormWatch(() -> objection, stops::add);
    watch.look();
    assertThat(watch.isOther()).isFalse();
    assertThat(stops).isEmpty();
    objection = Optional.of("another form");
    assertThat(watch.isOther()).as("before the next look").isTrue();
    watch.look();
    watch.look();
    assertThat(stops).containsExactly("another form");
  }
}
