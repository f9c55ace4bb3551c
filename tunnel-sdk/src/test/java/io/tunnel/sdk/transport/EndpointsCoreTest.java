package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndpointsCoreTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);

  @Test
  void chance_says_where_to_begin() {
    assertThat(new EndpointsCore(List.of(A, B, C), 0).inTurn()).containsExactly(A, B, C);
    assertThat(new EndpointsCore(List.of(A, B, C), 0.5).inTurn()).containsExactly(B, C, A);
    assertThat(new EndpointsCore(List.of(A, B, C), 0.999).inTurn()).containsExactly(C, A, B);
    assertThatThrownBy(() -> new EndpointsCore(List.of(), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void what_was_left_comes_last() {
    EndpointsCore core = new EndpointsCore(List.of(A, B, C), 0);
    core.leave(A);
    assertThat(core.inTurn()).containsExactly(B, C, A);
    core.leave(C);
    assertThat(core.inTurn()).containsExactly(A, B, C);
    core.leave(new Endpoint("unknown", 1));
    assertThat(core.inTurn()).containsExactly(A, B, C);
  }

  @Test
  void what_was_learned_is_forgotten_when_nothing_answers_there() {
    EndpointsCore core = new EndpointsCore(List.of(A), 0);
    core.learn(B);
    core.learn(C);
    core.learn(A);
    assertThat(core.inTurn()).containsExactly(A, B, C);
    core.unreachable(A);
    assertThat(core.inTurn()).containsExactly(B, C, A);
    core.unreachable(B);
    assertThat(core.inTurn()).containsExactly(C, A);
    core.unreachable(C);
    assertThat(core.inTurn()).containsExactly(A);
    core.unreachable(A);
    assertThat(core.inTurn()).containsExactly(A);
  }

  @Test
  void the_oldest_that_was_learned_makes_room() {
    EndpointsCore core = new EndpointsCore(List.of(A, B), 0);
    for (int port = 1; port <= EndpointsCore.ENDPOINTS_MAX; port++) {
      core.learn(new Endpoint("n", port));
    }
    assertThat(core.inTurn())
        .hasSize(EndpointsCore.ENDPOINTS_MAX)
        .startsWith(A, B, new Endpoint("n", 3))
        .endsWith(new Endpoint("n", EndpointsCore.ENDPOINTS_MAX));
  }
}
