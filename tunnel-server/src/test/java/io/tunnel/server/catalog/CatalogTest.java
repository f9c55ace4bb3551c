package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class CatalogTest {

  private static final TableOptions OTHER = new TableOptions(Durability.OS, 5, 6);

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  private Catalog open() throws IOException {
    return new Catalog(store);
  }

  private static TableRecord table(Catalog catalog, String name, String... splitPoints)
      throws IOException {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (String point : splitPoints) {
      points.add(PrimaryKeyValue.fromString(point));
    }
    return catalog.createTable(new TableMeta(name, TestRows.SCHEMA), points, 5);
  }

  @Test
  void other_options_of_a_table_are_there_after_a_reopen_and_all_else_stays() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    TableRecord altered = catalog.alterTable(table, OTHER, Asked.NAMELESS);
    assertThat(altered.meta().options()).isEqualTo(OTHER);
    assertThat(altered.partitions()).isEqualTo(table.partitions());
    assertThat(altered.tableId()).isEqualTo(table.tableId());
    assertThat(altered.createdMs()).isEqualTo(table.createdMs());
    assertThat(catalog.table("t")).isEqualTo(altered);
    assertThat(catalog.table(table.tableId())).isEqualTo(altered);
    assertThat(open().table("t")).isEqualTo(altered);
  }

  @Test
  void ids_are_never_used_again() throws IOException {
    Catalog catalog = open();
    TableRecord first = table(catalog, "t", "b", "c");
    catalog.dropTable(first, Asked.NAMELESS);
    TableRecord second = table(open(), "t", "b");
    assertThat(second.tableId()).isGreaterThan(first.tableId());
    assertThat(second.partitions())
        .extracting(PartitionRecord::id)
        .doesNotContainAnyElementsOf(first.partitions().stream().map(PartitionRecord::id).toList());
  }

  @Test
  void partitions_cover_every_key_once() throws IOException {
    TableRecord table = table(open(), "t", "b", "bb", "c");
    for (String key : new String[] {"", "a", "b", "b\0", "ba", "bb", "bz", "c", "zz"}) {
      PartitionRecord partition = table.partitionOf(TestRows.keyBytes(key));
      int expected = 0;
      for (String bound : new String[] {"b", "bb", "c"}) {
        expected += key.compareTo(bound) >= 0 ? 1 : 0;
      }
      assertThat(table.partitions().indexOf(partition)).as("key '%s'", key).isEqualTo(expected);
    }
  }

  @Test
  void split_points_must_rise_and_be_of_the_keys_type_and_not_too_many() throws IOException {
    Catalog catalog = open();
    requireRefused(
        ErrorCode.INVALID_REQUEST, "split points must rise", () -> table(catalog, "t", "b", "b"));
    requireRefused(
        ErrorCode.INVALID_REQUEST, "split points must rise", () -> table(catalog, "t", "b", "a"));
    requireRefused(
        ErrorCode.KEY_MISMATCH,
        "the first key column is STRING",
        () ->
            catalog.createTable(
                new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromLong(1)), 0));
    String[] points = new String[Limits.TABLE_PARTITIONS_MAX];
    for (int i = 0; i < points.length; i++) {
      points[i] = String.format("%05d", i);
    }
    requireRefused(
        ErrorCode.INVALID_REQUEST, "at most 1024 partitions", () -> table(catalog, "t", points));
    assertThat(catalog.tables()).isEmpty();
    String[] most = Arrays.copyOf(points, points.length - 1);
    assertThat(table(catalog, "t", most).partitions()).hasSize(Limits.TABLE_PARTITIONS_MAX);
  }

  @Test
  void names_that_are_taken_or_unknown_are_refused() throws IOException {
    Catalog catalog = open();
    table(catalog, "t", "b");
    requireRefused(ErrorCode.TABLE_EXISTS, "a table 't' exists", () -> table(catalog, "t"));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, "the tables are t", () -> catalog.table("u"));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, "id 99", () -> catalog.table(99));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, "no partition 9", () -> catalog.tableOfPartition(9));
  }

  @Test
  void a_write_that_fails_leaves_everything_as_it_was() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    store.fail(true);
    requireFailed(() -> table(catalog, "u"));
    requireFailed(() -> catalog.alterTable(table, OTHER, Asked.NAMELESS));
    requireFailed(() -> catalog.dropTable(table, Asked.NAMELESS));
    store.fail(false);
    for (Catalog now : List.of(catalog, open())) {
      assertThat(now.tables()).containsExactly(table);
      assertThat(now.partitionIds()).containsExactlyInAnyOrder(1, 2);
    }
    assertThat(table(catalog, "u").tableId()).isEqualTo(table.tableId() + 1);
  }

  @Test
  void partitions_are_found_until_their_table_is_dropped() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    assertThat(catalog.tableOfPartition(2)).isEqualTo(table);
    TableRecord altered = catalog.alterTable(table, OTHER, Asked.NAMELESS);
    assertThat(catalog.tableOfPartition(2)).isEqualTo(altered);
    assertThat(catalog.hasPartition(2)).isTrue();
    assertThat(catalog.isDroppedPartition(2)).isFalse();
    catalog.dropTable(altered, Asked.NAMELESS);
    assertThat(catalog.hasPartition(2)).isFalse();
    assertThat(catalog.isDroppedPartition(2)).isTrue();
    assertThat(catalog.isDroppedPartition(catalog.lastPartition() + 1)).isFalse();
    assertThat(catalog.partitionIds()).isEmpty();
  }

  @Test
  void listeners_are_told_what_becomes_of_tables() throws IOException {
    Catalog catalog = open();
    List<String> told = told(catalog);
    TableRecord altered = catalog.alterTable(table(catalog, "t"), OTHER, Asked.NAMELESS);
    catalog.dropTable(altered, Asked.NAMELESS);
    assertThat(told).containsExactly("created t", "altered t", "dropped t");
  }

  private static boolean isDropped(Catalog catalog, TableRecord table) {
    return catalog.isDropped(table.tableId())
        || table.partitions().stream().anyMatch(each -> catalog.isDroppedPartition(each.id()));
  }

  @Test
  void a_table_is_never_taken_for_dropped_before_it_is_there() throws IOException {
    Catalog leader = open();
    table(leader, "s");
    table(leader, "t");
    Catalog follower = new Catalog();
    List<String> dropped = new ArrayList<>();
    follower.listen(
        new TableListener() {
          @Override
          public void created(TableRecord table) {
            leader.tables().stream()
                .filter(other -> isDropped(follower, other))
                .forEach(other -> dropped.add(other.meta().name()));
          }

          @Override
          public void altered(TableRecord before, TableRecord now) {}

          @Override
          public void dropped(TableRecord table) {}
        });
    pass(store, follower);
    follower.caughtUp();
    assertThat(follower.tables()).hasSize(2);
    Catalog told = new Catalog();
    told.caughtUp();
    told.listen(
        new TableListener() {
          @Override
          public void created(TableRecord table) {
            leader.tables().stream()
                .filter(other -> isDropped(told, other))
                .forEach(other -> dropped.add(other.meta().name()));
          }

          @Override
          public void altered(TableRecord before, TableRecord now) {}

          @Override
          public void dropped(TableRecord table) {}
        });
    pass(store, told);
    assertThat(told.tables()).hasSize(2);
    assertThat(dropped).isEmpty();
  }

  @Test
  void a_follower_knows_nothing_before_it_is_told_everything_and_then_each_change()
      throws IOException {
    Catalog leader = open();
    Catalog follower = new Catalog();
    List<String> told = told(follower);
    leader.dropTable(table(leader, "old"), Asked.NAMELESS);
    pass(store, follower);
    TableRecord first = table(leader, "t", "b");
    pass(store, follower);
    assertThat(follower.tables()).isEmpty();
    assertThat(told).isEmpty();
    follower.caughtUp();
    assertThat(follower.tables()).containsExactly(first);
    assertThat(follower.partitionIds()).isEqualTo(leader.partitionIds());
    leader.dropTable(leader.alterTable(first, OTHER, Asked.NAMELESS), Asked.NAMELESS);
    follower.followed(Map.of("table/" + first.tableId(), Optional.empty()));
    assertThat(follower.tables()).isEmpty();
    table(leader, "t");
    follower.followed(store.lastWrite());
    assertThat(follower.tables()).containsExactlyElementsOf(leader.tables());
    assertThat(told).containsExactly("created t", "dropped t", "created t");
  }

  @Test
  void what_is_told_twice_is_told_once_to_listeners() throws IOException {
    Catalog leader = open();
    table(leader, "t");
    Catalog follower = new Catalog();
    follower.caughtUp();
    List<String> told = told(follower);
    follower.followed(store.lastWrite());
    follower.followed(store.lastWrite());
    follower.followed(Map.of("table/77", Optional.empty(), "of-others", Optional.of("x")));
    assertThat(told).containsExactly("created t");
  }

  @Test
  void a_table_that_takes_the_name_of_a_dropped_one_is_found_in_whatever_order_they_are_told()
      throws IOException {
    Catalog leader = open();
    TableRecord dropped = table(leader, "t");
    Catalog follower = new Catalog();
    pass(store, follower);
    follower.caughtUp();
    leader.dropTable(dropped, Asked.NAMELESS);
    TableRecord now = table(leader, "t");
    Map<String, Optional<String>> together = new LinkedHashMap<>(store.lastWrite());
    together.put("table/" + dropped.tableId(), Optional.empty());
    follower.followed(together);
    assertThat(follower.table("t")).isEqualTo(now);
    assertThat(follower.tables()).containsExactly(now);
  }

  @Test
  void a_follower_refuses_to_decide() throws IOException {
    Catalog leader = open();
    TableRecord table = table(leader, "t");
    leader.resign();
    for (ThrowingCallable request :
        List.<ThrowingCallable>of(
            () -> table(leader, "u"),
            () -> leader.alterTable(table, OTHER, Asked.NAMELESS),
            () -> leader.dropTable(table, Asked.NAMELESS))) {
      requireRefused(ErrorCode.NOT_LEADER, "does not decide about tables", request);
    }
    assertThat(leader.isLeading()).isFalse();
    assertThat(leader.tables()).containsExactly(table);
  }

  @Test
  void what_a_leader_decided_stays_when_it_resigns_until_it_has_caught_up() throws IOException {
    Catalog catalog = open();
    List<String> told = told(catalog);
    TableRecord table = table(catalog, "t");
    Map<String, Optional<String>> own = store.lastWrite();
    catalog.resign();
    Catalog next = open();
    next.dropTable(next.table("t"), Asked.NAMELESS);
    table(next, "u");
    assertThat(catalog.tables()).containsExactly(table);
    catalog.followed(own);
    catalog.followed(Map.of("table/" + table.tableId(), Optional.empty()));
    catalog.followed(store.lastWrite());
    assertThat(catalog.tables()).as("not before it has caught up").containsExactly(table);
    catalog.caughtUp();
    assertThat(catalog.tables()).containsExactlyElementsOf(next.tables());
    assertThat(told).containsExactly("created t", "dropped t", "created u");
  }

  @Test
  void a_leader_is_not_moved_back_by_what_it_follows() throws IOException {
    Catalog catalog = new Catalog();
    catalog.caughtUp();
    catalog.lead(store);
    TableRecord table = table(catalog, "t");
    Map<String, Optional<String>> own = store.lastWrite();
    TableRecord altered = catalog.alterTable(table, OTHER, Asked.NAMELESS);
    catalog.followed(own);
    catalog.caughtUp();
    assertThat(catalog.tables()).containsExactly(altered);
    assertThat(table(catalog, "u").tableId()).isEqualTo(2);
  }

  @Test
  void a_leader_begins_with_what_its_store_keeps() throws IOException {
    Catalog before = open();
    TableRecord gone = table(before, "gone");
    Catalog catalog = new Catalog();
    pass(store, catalog);
    catalog.caughtUp();
    List<String> told = told(catalog);
    before.dropTable(gone, Asked.NAMELESS);
    table(before, "t");
    catalog.lead(store);
    assertThat(catalog.isLeading()).isTrue();
    assertThat(catalog.tables()).containsExactlyElementsOf(before.tables());
    assertThat(told).containsExactly("dropped gone", "created t");
    assertThat(table(catalog, "u").tableId()).isEqualTo(3);
  }

  @Test
  void a_write_that_failed_and_is_stored_after_all_is_taken_over() throws IOException {
    Catalog catalog = open();
    List<String> told = told(catalog);
    MemoryCatalogStore elsewhere = new MemoryCatalogStore();
    TableRecord table = table(new Catalog(elsewhere), "t", "b");
    store.fail(true);
    requireFailed(() -> table(catalog, "t", "b"));
    store.fail(false);
    catalog.applied(elsewhere.lastWrite());
    assertThat(catalog.tables()).containsExactly(table);
    assertThat(told).containsExactly("created t");
    TableRecord next = table(catalog, "u");
    assertThat(next.tableId()).isEqualTo(2);
    assertThat(next.partitions().get(0).id()).isEqualTo(3);
  }

  private static void pass(MemoryCatalogStore store, Catalog follower) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    store.all().forEach((name, text) -> changes.put(name, Optional.of(text)));
    follower.followed(changes);
  }

  private static List<String> told(Catalog catalog) {
    List<String> told = new ArrayList<>();
    catalog.listen(
        new TableListener() {
          @Override
          public void created(TableRecord table) {
            told.add("created " + table.meta().name());
          }

          @Override
          public void altered(TableRecord before, TableRecord now) {
            assertThat(before.meta().options()).isNotEqualTo(now.meta().options());
            told.add("altered " + now.meta().name());
          }

          @Override
          public void dropped(TableRecord table) {
            told.add("dropped " + table.meta().name());
          }
        });
    return told;
  }

  private static void requireFailed(ThrowingCallable request) {
    assertThatThrownBy(request).isInstanceOf(IOException.class);
  }

  private static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
