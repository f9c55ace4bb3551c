package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.Endpoint;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeadersTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);

  @Test
  void only_the_node_that_failed_is_forgotten() {
    Leaders leaders = new Leaders();
    leaders.learn(Subject.CATALOG, A);
    leaders.forget(Subject.CATALOG, Optional.of(B));
    leaders.forget(Subject.CATALOG, Optional.empty());
    assertThat(leaders.of(Subject.CATALOG)).contains(A);
    leaders.forget(Subject.CATALOG, Optional.of(A));
    assertThat(leaders.of(Subject.CATALOG)).isEmpty();
  }

  @Test
  void the_subject_that_was_asked_about_longest_ago_makes_room() {
    Leaders leaders = new Leaders();
    for (int i = 0; i < Leaders.SUBJECTS_MAX; i++) {
      leaders.learn(Subject.partition("t", i), A);
    }
    assertThat(leaders.of(Subject.partition("t", 0))).contains(A);
    leaders.learn(Subject.CATALOG, B);
    assertThat(leaders.of(Subject.partition("t", 0))).contains(A);
    assertThat(leaders.of(Subject.partition("t", 1))).isEmpty();
  }
}
