package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.MemoryCatalogStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LedCatalogTest {

  private final Catalog catalog = new Catalog();
  private final Queue<Runnable> control = new ArrayDeque<>();
  private final List<Integer> dropped = new ArrayList<>();

  /** What another node stores of a table of that name. */
  private static Map<String, Optional<String>> stored(String name) throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    new Catalog(store)
        .createTable(
            new TableMeta(name, TestRows.SCHEMA, TableOptions.DEFAULT),
            List.<PrimaryKeyValue>of(),
            0);
    Map<String, Optional<String>> changes = new HashMap<>();
    store.all().forEach((key, text) -> changes.put(key, Optional.of(text)));
    return changes;
  }

  @Test
  void what_it_has_decided_stays_until_it_was_told_all_of_before_it_last_resigned()
      throws Exception {
    Queue<Runnable> asked = new ArrayDeque<>();
    LeftTopics none =
        new LeftTopics(
            () -> new CompletableFuture<>(),
            table -> false,
            table -> CompletableFuture.completedFuture(null),
            control::add);
    LedCatalog leader = new LedCatalog(catalog, asked::add, Runnable::run, none);
    leader.lead(new MemoryCatalogStore());
    leader.resign();
    MemoryCatalogStore store = new MemoryCatalogStore();
    leader.lead(store);
    Map<String, Optional<String>> changes = stored("t");
    store.write(changes);
    catalog.applied(changes);
    leader.resign();
    asked.remove().run();
    assertThat(catalog.tables()).as("told only of what was before").hasSize(1);
    catalog.followed(changes);
    asked.remove().run();
    assertThat(catalog.tables()).hasSize(1);
    catalog.followed(Map.of("table/1", Optional.empty()));
    assertThat(catalog.tables()).as("it follows").isEmpty();
  }

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
