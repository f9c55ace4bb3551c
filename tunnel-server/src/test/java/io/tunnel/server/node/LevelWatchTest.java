package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.cluster.Unit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LevelWatchTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final FakeView view = new FakeView("here:1");
  private final List<String> stops = new ArrayList<>();

  private LevelWatch watch(int levelMax, boolean isAuto) {
    return new LevelWatch(view, new LevelWatch.Self("prod", levelMax, isAuto), stops::add);
  }

  @Test
  void a_node_below_the_level_stops_once_with_what_to_do() {
    LevelWatch watch = watch(1, false);
    watch.look(0);
    assertThat(watch.isBelow()).isFalse();
    view.level(2);
    assertThat(watch.isBelow()).isTrue();
    watch.look(1);
    watch.look(2);
    assertThat(stops).hasSize(1);
    assertThat(stops.get(0))
        .startsWith("cluster 'prod' has level 2, and this build serves level 1 at most.")
        .contains("Start the build that raised the level");
  }

  @Test
  void a_node_below_the_level_is_not_started() throws IOException {
    Catalog catalog = new Catalog();
    catalog.followed(Map.of("level", Optional.of("{\"level\":3}")));
    assertThatThrownBy(() -> LevelWatch.requireServed("prod", catalog, 2))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cluster 'prod' has level 3, and this build serves level 2");
    LevelWatch.requireServed("prod", catalog, 3);
  }

  @Test
  void nobody_raises_the_level_unless_configured() {
    view.leads(Unit.CATALOG, "here:1");
    view.serve(Map.of("a", 2, "b", 2));
    watch(2, false).look(0);
    assertThat(view.levels().level()).isEqualTo(1);
    watch(2, true).look(0);
    assertThat(view.levels().level()).isEqualTo(2);
  }

  @Test
  void the_level_waits_for_the_last_node_and_for_the_leader_of_the_catalog() {
    LevelWatch watch = watch(2, true);
    view.serve(Map.of("a", 2, "b", 2));
    watch.look(0);
    view.leads(Unit.CATALOG, "here:1");
    view.serve(Map.of("a", 2, "b", 1));
    watch.look(0);
    assertThat(view.levels().level()).isEqualTo(1);
    assertThat(view.raises()).isZero();
    view.serve(Map.of("a", 2, "b", 2));
    watch.look(0);
    assertThat(view.levels().level()).isEqualTo(2);
  }

  @Test
  void a_raise_that_failed_is_tried_again_after_a_pause() {
    LevelWatch watch = watch(2, true);
    view.leads(Unit.CATALOG, "here:1");
    view.serve(Map.of("a", 2));
    view.failRaises(Optional.of(new IOException("no answer")));
    watch.look(0);
    watch.look(SECOND);
    assertThat(view.raises()).isEqualTo(1);
    view.failRaises(Optional.empty());
    watch.look(5 * SECOND);
    assertThat(view.raises()).isEqualTo(2);
    assertThat(view.levels().level()).isEqualTo(2);
  }
}
