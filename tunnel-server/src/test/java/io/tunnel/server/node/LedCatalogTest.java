package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LedCatalogTest {

  private static final Terms TERMS =
      new Terms("t", 0, Optional.empty(), Optional.empty(), 1_000, 1_000);

  private static final Bytes ORIGIN = Bytes.fromHex("0a");

  private final Catalog catalog = new Catalog();
  private final Queue<Runnable> control = new ArrayDeque<>();
  private int looks;

  /** The changes of another node that creates a table with this name. */
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
    LedCatalog leader = leader(asked::add);
    leader.lead(new MemoryCatalogStore());
    leader.resign();
    MemoryCatalogStore store = new MemoryCatalogStore();
    leader.lead(store);
    Map<String, Optional<String>> changes = stored("t");
    store.write(changes);
    catalog.applied(changes);
    leader.resign();
    asked.remove().run();
    runControl();
    assertThat(catalog.tables()).as("told only of what was before").hasSize(1);
    catalog.followed(changes);
    asked.remove().run();
    runControl();
    assertThat(catalog.tables()).hasSize(1);
    catalog.followed(Map.of("table/1", Optional.empty()));
    assertThat(catalog.tables()).as("it follows").isEmpty();
  }

  private static Founding founding(Bytes origin) {
    return new Founding(
        new CatalogIdentity(origin), Bytes.fromHex("5" + origin.toString() + "5"), 1, LogForm.ROWS);
  }

  private void runControl() {
    while (!control.isEmpty()) {
      control.remove().run();
    }
  }

  private LedCatalog leader(Consumer<Runnable> catchUp) {
    return new LedCatalog(
        catalog,
        catchUp,
        control::add,
        new LeftTopics(catalog, new NoTopics(), Runnable::run),
        () -> founding(ORIGIN));
  }

  /** Writes down what is asked of it. */
  private final class NoTopics implements LeftTopics.Topics {
    @Override
    public CompletableFuture<Set<Integer>> tables() {
      looks++;
      return CompletableFuture.completedFuture(Set.of());
    }

    @Override
    public CompletableFuture<Void> drop(DroppedLog log) {
      return new CompletableFuture<>();
    }
  }

  @Test
  void nothing_has_begun_when_it_cannot_begin() {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.fail(true);
    LedCatalog leader = leader(Runnable::run);
    assertThatThrownBy(() -> leader.lead(store)).isInstanceOf(IOException.class);
    assertThat(catalog.isLeading()).isFalse();
    assertThat(control).isEmpty();
  }

  @Test
  void a_catalog_has_an_identity_before_anything_is_decided_and_keeps_it() throws Exception {
    MemoryCatalogStore store = new MemoryCatalogStore();
    leader(Runnable::run).lead(store);
    assertThat(catalog.identity()).contains(new CatalogIdentity(ORIGIN));
    Catalog other = new Catalog();
    new LedCatalog(
            other,
            Runnable::run,
            control::add,
            new LeftTopics(other, new NoTopics(), Runnable::run),
            () -> founding(Bytes.fromHex("0b")))
        .lead(store);
    assertThat(other.identity()).contains(new CatalogIdentity(ORIGIN));
    assertThat(other.grants().of(new Granted("c", 1, 1, ""), TERMS))
        .as("and so has its key")
        .isEqualTo(catalog.grants().of(new Granted("c", 1, 1, ""), TERMS));
  }

  @Test
  void a_catalog_from_before_the_first_release_is_led_by_nobody() throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.write(Map.of("identity", Optional.of("{\"origin\":\"0a\"}")));
    assertThatThrownBy(() -> leader(Runnable::run).lead(store))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("catalog was written by a build before 0.1.0");
    assertThat(catalog.isLeading()).isFalse();
    assertThat(store.all()).as("nothing is written").hasSize(1);
    store.write(Map.of("form", Optional.of("{\"number\":4}")));
    assertThatThrownBy(() -> leader(Runnable::run).lead(store))
        .hasMessageContaining("has format 4, and this build reads format 2");
  }

  @Test
  void topics_are_looked_after_by_whoever_leads() throws Exception {
    LedCatalog leader = leader(Runnable::run);
    leader.lead(new MemoryCatalogStore());
    control.remove().run();
    assertThat(looks).isEqualTo(1);
    leader.lead(new MemoryCatalogStore());
    leader.resign();
    control.forEach(Runnable::run);
    assertThat(looks).as("not by one that leads no more").isEqualTo(1);
  }

  @Test
  void a_leader_that_is_told_of_what_it_has_not_stored_makes_sure_that_it_still_leads()
      throws Exception {
    MemoryCatalogStore store = new MemoryCatalogStore();
    leader(Runnable::run).lead(store);
    int writes = store.writes();
    catalog.followed(Map.of("identity", store.text("identity")));
    assertThat(store.writes()).as("its own, which comes back").isEqualTo(writes);
    Map<String, String> before = store.all();
    catalog.followed(stored("of_another"));
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(store.all()).isEqualTo(before);
    store.fence();
    catalog.followed(Map.of("security/x", Optional.of("{}")));
    assertThat(catalog.isLeading()).as("until its store has told it").isTrue();
  }

  @Test
  void a_catalog_that_knows_less_is_not_led() throws Exception {
    LedCatalog leader = leader(Runnable::run);
    MemoryCatalogStore store = new MemoryCatalogStore();
    founding(ORIGIN).noteIn(store);
    store.write(stored("t"));
    leader.lead(store);
    leader.resign();
    assertThatThrownBy(() -> leader.lead(new MemoryCatalogStore()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("0 tables and 0 partitions, and this node knows of 1 and 1");
    assertThat(catalog.isLeading()).isFalse();
    assertThat(catalog.isDropped(1)).isFalse();
  }
}
