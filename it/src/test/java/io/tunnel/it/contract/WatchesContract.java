package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchPosition;
import io.tunnel.sdk.watch.WatchedKeys;
import io.tunnel.server.net.delivery.Attachments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watches: who follows keys is told of each change of them, and of no other. */
abstract class WatchesContract extends Contract {

  private static final Duration LONG = Duration.ofSeconds(60);

  private Watch watch(TableInfo table, WatchedKeys keys, WatchConfig how) {
    return closing(tables().watch(table.meta().name(), keys, how));
  }

  private static WatchedKeys ids(long... ids) {
    List<PrimaryKey> keys = new ArrayList<>();
    for (long id : ids) {
      keys.add(key(id));
    }
    return WatchedKeys.keys(keys);
  }

  /** Rows and changes as "row 1=2" and "1=2", or "1" without the column. */
  private static List<String> next(Watch watch, int count) throws InterruptedException {
    List<String> texts = new ArrayList<>();
    while (texts.size() < count) {
      boolean hadAllRows = watch.hasAllRows();
      List<WatchEvent> events = watch.poll(LONG);
      if (hadAllRows == watch.hasAllRows()) {
        assertThat(events).as("after %s", texts).isNotEmpty();
      }
      events.forEach(event -> texts.add(text(event)));
    }
    return texts;
  }

  private static String text(WatchEvent event) {
    StreamRecord record = event.record();
    PrimaryKeyValue key = record.getPrimaryKey().getPrimaryKeyColumn(0).getValue();
    String columns =
        record.getColumns().isEmpty()
            ? record.getRecordType() == StreamRecord.RecordType.DELETE ? " deleted" : ""
            : "=" + record.value("v").orElseThrow().asLong();
    return (event.type() == WatchEvent.Type.ROW ? "row " : "")
        + (key.getType() == PrimaryKeyType.INTEGER ? key.asLong() : key.asString())
        + columns;
  }

  private TableInfo paths(String... splitPoints) {
    return tables()
        .createTable(
            new TableMeta(newName(), List.of(new PrimaryKeySchema("path", PrimaryKeyType.STRING))),
            List.of(splitPoints).stream().map(PrimaryKeyValue::fromString).toList());
  }

  private static RowChange path(String path, long v) {
    return new RowPutChange(
        PrimaryKey.builder().add("path", path).build(),
        List.of(new Column("v", ColumnValue.fromLong(v))));
  }

  @Test
  void changes_of_chosen_keys_come_in_order_and_no_others() throws Exception {
    TableInfo table = table(100);
    write(table, put(1, 0), put(200, 0));
    Watch watch = watch(table, ids(1, 3), WatchConfig.FROM_NOW);
    write(table, put(1, 1), put(2, 2), put(3, 3), put(200, 9));
    write(
        table,
        new RowUpdateChange(key(1), List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(4)))),
        new RowDeleteChange(key(3)),
        new RowDeleteChange(key(2)),
        put(1, 5));
    assertThat(next(watch, 5)).containsExactly("1=1", "3=3", "1=4", "3 deleted", "1=5");
    assertThat(watch.hasAllRows()).isTrue();
  }

  @Test
  void all_keys_with_a_prefix_are_followed_in_all_partitions_that_may_have_them() throws Exception {
    TableInfo table = paths("/b", "/b/m");
    Watch watch = watch(table, WatchedKeys.prefix("/b/"), WatchConfig.FROM_NOW);
    Watch all = watch(table, WatchedKeys.prefix(""), WatchConfig.FROM_NOW);
    write(table, path("/a", 1), path("/b", 2), path("/b/", 3), path("/b/a", 4), path("/b0", 5));
    write(table, path("/b/z", 6), path("/c", 7));
    assertThat(next(watch, 3)).containsExactlyInAnyOrder("/b/=3", "/b/a=4", "/b/z=6");
    assertThat(next(all, 7)).hasSize(7).contains("/a=1", "/c=7");
  }

  @Test
  void a_zero_in_a_key_is_no_end_of_a_column() throws Exception {
    TableInfo table =
        tables()
            .createTable(
                new TableMeta(
                    newName(),
                    List.of(
                        new PrimaryKeySchema("a", PrimaryKeyType.STRING),
                        new PrimaryKeySchema("b", PrimaryKeyType.STRING))));
    Watch leading =
        watch(
            table,
            WatchedKeys.leading(List.of(PrimaryKeyValue.fromString("x"))),
            WatchConfig.FROM_NOW);
    Watch beginning =
        watch(
            table,
            WatchedKeys.prefix(
                List.of(PrimaryKeyValue.fromString("x")), PrimaryKeyValue.fromString("y")),
            WatchConfig.FROM_NOW);
    for (String[] key :
        new String[][] {{"x\0", "y"}, {"x", "z"}, {"xy", "y"}, {"x", "y\0z"}, {"x", "y"}}) {
      tables()
          .write(
              table.meta().name(),
              List.of(
                  new RowPutChange(
                      PrimaryKey.builder().add("a", key[0]).add("b", key[1]).build(), List.of())));
    }
    assertThat(seconds(leading, 3)).containsExactly("z", "y\0z", "y");
    assertThat(seconds(beginning, 2)).containsExactly("y\0z", "y");
  }

  private static List<String> seconds(Watch watch, int count) throws InterruptedException {
    List<String> found = new ArrayList<>();
    while (found.size() < count) {
      watch
          .poll(LONG)
          .forEach(
              event ->
                  found.add(
                      event.record().getPrimaryKey().getPrimaryKeyColumn(1).getValue().asString()));
    }
    return found;
  }

  @Test
  void present_rows_come_first_and_each_later_change_once() throws Exception {
    TableInfo table = table(100);
    write(table, put(1, 1), put(2, 2), put(3, 3), put(101, 4), put(1, 5));
    Watch watch = watch(table, ids(1, 3, 7, 101), WatchConfig.FROM_NOW.withRows());
    assertThat(next(watch, 3)).containsExactlyInAnyOrder("row 1=5", "row 3=3", "row 101=4");
    write(table, put(3, 6), put(2, 7), put(7, 8));
    assertThat(next(watch, 2)).containsExactly("3=6", "7=8");
    assertThat(watch.hasAllRows()).isTrue();
  }

  /** Each change is in the rows or comes behind them, while a writer writes. */
  @Test
  void rows_and_changes_meet_without_a_gap_and_without_a_repetition() throws Exception {
    TableInfo table = table();
    int count = 3_000;
    writeMany(table, count, 0);
    Watch watch = watch(table, WatchedKeys.leading(List.of()), WatchConfig.FROM_NOW.withRows());
    Map<Long, Long> values = new HashMap<>();
    int rounds = 5;
    int round = 0;
    while (values.size() < count || values.values().stream().anyMatch(v -> v != rounds)) {
      if (round < rounds) {
        round++;
        writeMany(table, count, round);
      }
      for (WatchEvent event : watch.poll(LONG)) {
        long id = event.record().getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong();
        long v = event.record().value("v").orElseThrow().asLong();
        Long former = values.put(id, v);
        if (former != null) {
          assertThat(v).as("key %d", id).isEqualTo(former + 1);
          assertThat(event.type()).isEqualTo(WatchEvent.Type.CHANGE);
        }
      }
    }
    assertThat(values).hasSize(count);
  }

  private void writeMany(TableInfo table, int count, long v) {
    for (int from = 0; from < count; from += 500) {
      RowChange[] rows = new RowChange[500];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = put(from + i, v);
      }
      write(table, rows);
    }
  }

  @Test
  void keys_alone_come_without_columns() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1));
    Watch watch = watch(table, ids(1), WatchConfig.FROM_NOW.withRows().withKeysOnly());
    assertThat(next(watch, 1)).containsExactly("row 1");
    write(table, put(1, 2), new RowDeleteChange(key(1)));
    assertThat(next(watch, 2)).containsExactly("1", "1 deleted");
  }

  @Test
  void a_later_watch_goes_on_where_an_earlier_one_was() throws Exception {
    TableInfo table = table(100);
    Watch watch = watch(table, ids(1, 101), WatchConfig.FROM_NOW);
    write(table, put(1, 1), put(101, 2));
    assertThat(next(watch, 2)).containsExactlyInAnyOrder("1=1", "101=2");
    WatchPosition seen = watch.position().orElseThrow();
    watch.close();
    write(table, put(1, 3), put(2, 4), put(101, 5));
    Watch later =
        watch(
            table, ids(1, 101), WatchConfig.FROM_NOW.behind(WatchPosition.parse(seen.toString())));
    assertThat(next(later, 2)).containsExactlyInAnyOrder("1=3", "101=5");
    write(table, put(1, 6));
    assertThat(next(later, 1)).containsExactly("1=6");
  }

  @Test
  void more_than_is_asked_for_at_once_comes_as_it_is_taken() throws Exception {
    TableInfo table = table();
    Watch slow = watch(table, WatchedKeys.leading(List.of()), WatchConfig.FROM_NOW);
    Watch other = watch(table, ids(7), WatchConfig.FROM_NOW);
    int count = 6_000;
    writeMany(table, count, 1);
    assertThat(next(other, 1)).as("not held up by the slow one").containsExactly("7=1");
    List<String> all = next(slow, count);
    for (int i = 0; i < count; i++) {
      assertThat(all.get(i)).isEqualTo(i + "=1");
    }
  }

  @Test
  void many_watches_of_one_client_each_get_their_own() throws Exception {
    TableInfo table = table(500);
    List<Watch> watches = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      watches.add(watch(table, ids(i * 10L), WatchConfig.FROM_NOW));
    }
    writeMany(table, 1_000, 3);
    for (int i = 0; i < watches.size(); i++) {
      assertThat(next(watches.get(i), 1)).containsExactly(i * 10 + "=3");
    }
  }

  @Test
  void what_cannot_be_followed_is_refused() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1));
    int partition = table.partitions().get(0).id();
    assertThatThrownBy(() -> watch(table, WatchedKeys.prefix("a"), WatchConfig.FROM_NOW))
        .isInstanceOf(IllegalArgumentException.class);
    TableInfo two = table(100);
    WatchPosition other =
        watch(two, ids(101), WatchConfig.FROM_NOW.behind(begin(two, 1))).position().orElseThrow();
    assertThatThrownBy(() -> watch(two, ids(1), WatchConfig.FROM_NOW.behind(other)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lacks partition " + two.partitions().get(0).id());
    WatchPosition beyond =
        new WatchPosition(Map.of(partition, new WatchPosition.Place(5, Optional.empty())));
    Watch early = watch(table, ids(1), WatchConfig.FROM_NOW.behind(beyond));
    assertRefused(ErrorCode.INVALID_POSITION, () -> early.poll(LONG));
    Watch open = watch(table, ids(1), WatchConfig.FROM_NOW);
    tables().dropTable(table.meta().name());
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> open.poll(LONG));
  }

  private static WatchPosition begin(TableInfo table, int partition) {
    int id = table.partitions().get(partition).id();
    return new WatchPosition(Map.of(id, new WatchPosition.Place(0, Optional.empty())));
  }

  @Test
  void a_position_of_a_dropped_table_is_refused_when_a_table_has_its_name() throws Exception {
    TableInfo table = table(100);
    Watch watch = watch(table, ids(1, 101), WatchConfig.FROM_NOW);
    WatchPosition seen = watch.position().orElseThrow();
    watch.close();
    tables().dropTable(table.meta().name());
    WatchConfig behind = WatchConfig.FROM_NOW.behind(seen);
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> watch(table, ids(1, 101), behind));
    TableInfo again = tables().createTable(table.meta(), List.of(PrimaryKeyValue.fromLong(100)));
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> watch(again, ids(1, 101), behind));
    tables().dropTable(table.meta().name());
    TableInfo ofText =
        tables()
            .createTable(
                new TableMeta(
                    table.meta().name(),
                    List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING))));
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> watch(ofText, ids(1, 101), behind));
  }

  /** Without the return, the test would wait for an hour. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void a_poll_returns_as_soon_as_the_rows_are_complete() throws Exception {
    TableInfo table = paths("/b", "/c");
    for (boolean hasRow : new boolean[] {false, true}) {
      if (hasRow) {
        write(table, path("/b/1", 1));
      }
      Watch watch = watch(table, WatchedKeys.prefix("/"), WatchConfig.FROM_NOW.withRows());
      List<String> rows = new ArrayList<>();
      while (!watch.hasAllRows()) {
        watch.poll(Duration.ofHours(1)).forEach(event -> rows.add(text(event)));
      }
      assertThat(rows).isEqualTo(hasRow ? List.of("row /b/1=1") : List.of());
    }
  }

  /** A server that has limits is asked. */
  final void requireFullRefused() throws Exception {
    TableInfo table = table();
    WatchConfig now = WatchConfig.FROM_NOW.behind(begin(table, 0));
    // From then on the partition has a leader, and the watches attach in their order.
    write(table, put(1_000_000, 1));
    Watch last = null;
    for (int i = 0; i <= Attachments.OF_CONNECTION_MAX; i++) {
      last = watch(table, ids(i), now);
    }
    Watch tooMany = last;
    assertRefused(ErrorCode.LIMIT_REACHED, () -> tooMany.poll(LONG));
    try (TableClient other = TableClient.connect(endpoint());
        Watch further = other.watch(table.meta().name(), ids(7), now)) {
      write(table, put(7, 1));
      assertThat(next(further, 1)).containsExactly("7=1");
    }
  }

  /** A position whose incarnation no server gave. */
  @Test
  void a_position_of_another_incarnation_is_refused() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1));
    int partition = table.partitions().get(0).id();
    WatchPosition replaced =
        new WatchPosition(
            Map.of(partition, new WatchPosition.Place(1, Optional.of(Long.MAX_VALUE))));
    Watch foreign = watch(table, ids(1), WatchConfig.FROM_NOW.behind(replaced));
    assertRefused(ErrorCode.POSITION_REPLACED, () -> foreign.poll(LONG));
  }

  @Test
  void a_watch_ends_with_its_client() throws Exception {
    TableInfo table = table();
    Watch watch;
    try (TableClient client = TableClient.connect(endpoint())) {
      watch = closing(client.watch(table.meta().name(), ids(1), WatchConfig.FROM_NOW));
      write(table, put(1, 1));
      assertThat(next(watch, 1)).containsExactly("1=1");
    }
    assertThatThrownBy(() -> watch.poll(LONG)).isInstanceOf(ConnectionException.class);
    watch.close();
  }
}
