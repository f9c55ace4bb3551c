package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeftTopicsTest implements LeftTopics.Topics {

  private static final Bytes ORIGIN = Bytes.fromHex("0a");

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final List<DroppedLog> dropped = new ArrayList<>();
  private Optional<IOException> trouble = Optional.empty();
  private Catalog catalog;

  @BeforeEach
  void open() throws IOException {
    catalog = new Catalog(store);
  }

  private <T> CompletableFuture<T> answer(T value) {
    return trouble.isPresent()
        ? CompletableFuture.failedFuture(trouble.get())
        : CompletableFuture.completedFuture(value);
  }

  @Override
  public CompletableFuture<Set<Integer>> tables() {
    return answer(Set.of(1, 2, 3, 7, 9));
  }

  @Override
  public CompletableFuture<Void> drop(DroppedLog log) {
    dropped.add(log);
    return answer(null);
  }

  private void look() {
    new LeftTopics(catalog, this, Runnable::run).look();
  }

  private TableRecord create(String name, Bytes origin) throws IOException {
    return catalog.createTable(
        catalog
            .planTable(new TableMeta(name, TestRows.SCHEMA), List.of(), 0)
            .withOrigin(Optional.of(origin)),
        Asked.NAMELESS);
  }

  private void drop(String name) throws IOException {
    catalog.dropTable(catalog.table(name), true, Asked.NAMELESS);
  }

  @Test
  void what_the_catalog_says_was_dropped_goes_and_nothing_that_it_does_not_know()
      throws IOException {
    create("a", ORIGIN);
    create("b", Bytes.fromHex("0b"));
    drop("b");
    create("c", Bytes.fromHex("0c"));
    drop("c");
    open();
    look();
    assertThat(dropped)
        .containsExactly(
            new DroppedLog(2, Bytes.fromHex("0b")), new DroppedLog(3, Bytes.fromHex("0c")));
    dropped.clear();
    open();
    look();
    assertThat(dropped).as("what is deleted is not deleted again").isEmpty();
  }

  @Test
  void a_log_that_does_not_answer_is_asked_another_time() throws IOException {
    create("a", ORIGIN);
    create("b", ORIGIN);
    drop("b");
    trouble = Optional.of(new IOException("not now"));
    look();
    assertThat(catalog.droppedLogs()).hasSize(1);
    trouble = Optional.empty();
    look();
    assertThat(dropped).hasSize(2);
    assertThat(catalog.droppedLogs()).isEmpty();
  }

  @Test
  void no_more_than_the_limit_go_at_once() throws IOException {
    for (int i = 0; i <= LeftTopics.AT_ONCE_MAX; i++) {
      create("t", ORIGIN);
      drop("t");
    }
    look();
    assertThat(dropped).hasSize(LeftTopics.AT_ONCE_MAX);
    look();
    assertThat(dropped).hasSize(LeftTopics.AT_ONCE_MAX + 1);
  }
}
