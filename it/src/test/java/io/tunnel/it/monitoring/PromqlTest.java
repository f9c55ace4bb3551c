package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.monitoring.Promql.Selector;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PromqlTest {

  @Test
  void a_query_tells_what_it_reads_and_by_what_it_groups() {
    Promql query =
        Promql.of(
            "histogram_quantile(0.9, sum by (le, node) (rate(a_bucket{job=~\"x y{\"}[5m]))) > 1e3"
                + " and on (job) up == bool 1 or b{c=\"1\", d!=\"2\"} offset 1d");
    assertThat(query.selectors())
        .containsExactly(
            new Selector("a_bucket", Set.of("job")),
            new Selector("up", Set.of()),
            new Selector("b", Set.of("c", "d")));
    assertThat(query.grouping()).containsExactlyInAnyOrder("le", "node", "job");
  }

  @Test
  void a_metric_that_stands_alone_is_read() {
    assertThat(Promql.of("max(a) / b").selectors())
        .isEqualTo(List.of(new Selector("a", Set.of()), new Selector("b", Set.of())));
  }

  @Test
  void a_variable_outside_of_a_string_is_refused() {
    assertThatThrownBy(() -> Promql.of("rate(a[5m]) * $factor"))
        .hasMessageContaining("a variable outside of a string");
  }
}
