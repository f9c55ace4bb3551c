package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of a server that go by themselves. */
@Tag("proof-service")
class ExpiryTest {

  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    server = new LocalServer();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private TableInfo create(String name, Duration ttl) {
    return server
        .client()
        .createTable(
            CreateTableRequest.builder(name).key("id", PrimaryKeyType.INTEGER).ttl(ttl).build());
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.of(new PrimaryKeyColumn("id", PrimaryKeyValue.fromLong(id)));
  }

  private static RowChange put(long id) {
    return new RowPutChange(key(id), List.of(new Column("name", ColumnValue.fromString("n" + id))));
  }

  private static RowChange count(long id) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("seen", 1)));
  }

  private boolean isThere(String table, long id) {
    return server.client().getRow(table, key(id)).isPresent();
  }

  /** The changes of a table of one partition, until they are enough. */
  private List<StreamRecord> changes(TableInfo table, Predicate<List<StreamRecord>> areEnough)
      throws InterruptedException {
    List<StreamRecord> found = new ArrayList<>();
    try (PartitionReader reader =
        new PartitionReader(
            ClientConfig.of(server.endpoint()), table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(table.partitions().get(0).id(), 0));
      while (!areEnough.test(found)) {
        PartitionRecords next = reader.poll(Duration.ofSeconds(60)).orElseThrow();
        found.addAll(next.records());
        next.release();
      }
    }
    return found;
  }

  @Test
  void a_row_expires_once_and_an_update_of_it_makes_a_new_row() throws Exception {
    TableInfo table = create("sessions", Duration.ofSeconds(1));
    server.write("sessions", List.of(put(1), put(2), put(3)));
    Poll.until("the rows expire", () -> !isThere("sessions", 2));
    // On a slow machine the new row may expire before it is read: then another one is made.
    Poll.until("a new row is read", () -> hasNewRow(2));
    Poll.until("all rows expire", () -> server.rows("sessions").isEmpty());
    List<StreamRecord> changes = changes(table, ExpiryTest::areDeleted);
    for (long id = 1; id <= 3; id++) {
      PrimaryKey of = key(id);
      assertThat(
              changes.stream()
                  .filter(change -> change.getPrimaryKey().equals(of))
                  .map(
                      change ->
                          change.getRecordType()
                              + change.deletionCause().map(cause -> " " + cause).orElse(""))
                  .toList()
                  .toString())
          .matches(
              id == 2
                  ? "\\[PUT, DELETE EXPIRED(, UPDATE, DELETE EXPIRED)+\\]"
                  : "\\[PUT, DELETE EXPIRED\\]");
    }
    long expired = changes.stream().filter(change -> change.deletionCause().isPresent()).count();
    Poll.until(
        "each DELETE is counted", () -> server.metric("tunnel_rows_expired_total") == expired);
  }

  /** Whether the last change of each of the three rows is a DELETE. */
  private static boolean areDeleted(List<StreamRecord> changes) {
    Map<PrimaryKey, RecordType> last = new HashMap<>();
    changes.forEach(change -> last.put(change.getPrimaryKey(), change.getRecordType()));
    return last.size() == 3 && last.values().stream().allMatch(RecordType.DELETE::equals);
  }

  /** Counts in a row that has expired; whether the row was read before it expired again. */
  private boolean hasNewRow(long id) {
    if (isThere("sessions", id)) {
      return false;
    }
    server.write("sessions", List.of(count(id)));
    Optional<Row> row = server.client().getRow("sessions", key(id));
    row.ifPresent(
        found ->
            assertThat(found.columns())
                .containsExactly(new Column("seen", ColumnValue.fromLong(1))));
    return row.isPresent();
  }

  @Test
  void a_restart_keeps_times_and_an_altered_length_holds_for_rows_that_are_there()
      throws Exception {
    TableInfo table = create("tokens", Duration.ofDays(1));
    server.write("tokens", List.of(put(1)));
    server.stop();
    server.start();
    Poll.until("the server is there again", () -> isThere("tokens", 1));
    OptionsChange aSecond = new OptionsChange().withTtl(Duration.ofSeconds(1));
    var unused = server.client().alterTable("tokens", aSecond);
    Poll.until("the row expires", () -> !isThere("tokens", 1));
    Poll.until("the row is deleted", () -> server.metric("tunnel_rows_expired_total") == 1);
    unused = server.client().alterTable("tokens", new OptionsChange().withTtl(Duration.ofDays(1)));
    assertThat(isThere("tokens", 1)).isFalse();
    server.write("tokens", List.of(put(2)));
    assertThat(changes(table, found -> found.size() >= 3))
        .extracting(StreamRecord::getRecordType)
        .containsExactly(RecordType.PUT, RecordType.DELETE, RecordType.PUT);
  }

  @Test
  void a_time_to_live_is_neither_added_nor_removed() {
    TableOptions with = create("with", Duration.ofDays(1)).meta().options();
    TableOptions without = create("without", Duration.ZERO).meta().options();
    assertThat(with.ttlMs()).contains(86_400_000L);
    assertThat(without.ttlMs()).isEmpty();
    OptionsChange forEver = new OptionsChange().withTtl(Duration.ZERO);
    assertRefused(() -> server.client().alterTable("with", forEver), "cannot be removed");
    OptionsChange aDay = new OptionsChange().withTtl(Duration.ofDays(1));
    assertRefused(() -> server.client().alterTable("without", aDay), "cannot be added");
  }

  private static void assertRefused(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining(why);
  }
}
