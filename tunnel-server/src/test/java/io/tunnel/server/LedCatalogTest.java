package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.MemoryCatalogStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LedCatalogTest {

  private final Catalog catalog = new Catalog();
  private final Queue<Runnable> control = new ArrayDeque<>();
  private final List<Integer> dropped = new ArrayList<>();

  private LedCatalog leader(CompletableFuture<Set<Integer>> topics) {
    LeftTopics left =
        new LeftTopics(
            () -> {
              if (topics.isCompletedExceptionally()) {
                throw new IllegalStateException("closed");
              }
              return topics;
            },
            table -> catalog.isLeading(),
            table -> {
              dropped.add(table);
              return CompletableFuture.completedFuture(null);
            },
            control::add);
    return new LedCatalog(catalog, Runnable::run, control::add, left);
  }

  @Test
  void nothing_has_begun_when_it_cannot_begin() {
    LedCatalog leader = leader(CompletableFuture.failedFuture(new IllegalStateException()));
    assertThatThrownBy(() -> leader.lead(new MemoryCatalogStore()))
        .isInstanceOf(IllegalStateException.class);
    assertThat(catalog.isLeading()).isFalse();
  }

  @Test
  void left_topics_are_judged_by_the_catalog_that_is_led() throws Exception {
    LedCatalog leader = leader(CompletableFuture.completedFuture(Set.of(7)));
    leader.lead(new MemoryCatalogStore());
    assertThat(catalog.isLeading()).isTrue();
    control.remove().run();
    assertThat(dropped).containsExactly(7);
    leader.resign();
    assertThat(catalog.isLeading()).isFalse();
  }
}
