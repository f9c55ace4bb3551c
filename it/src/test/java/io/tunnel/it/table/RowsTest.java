package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What single rows promise: conditions, updates of columns, ranges. */
class RowsTest {

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TableClient tables;

  @BeforeEach
  void begin() {
    server = stage.server();
    tables = stage.tables(server);
  }

  private static RowPutChange put(long hash, long value, RowExistenceExpectation condition) {
    return new RowPutChange(
        TestTable.key(hash, "a"), List.of(new Column("v", ColumnValue.fromLong(value))), condition);
  }

  private Optional<Long> valueOf(long hash) {
    return tables
        .getRow("orders", TestTable.key(hash, "a"))
        .map(row -> row.value("v").orElseThrow().asLong());
  }

  @Test
  void a_condition_that_does_not_hold_rejects_its_row_alone() {
    var unused = new TestTable("orders", 2).create(tables);
    RowExistenceExpectation mustExist = RowExistenceExpectation.EXPECT_EXIST;
    RowExistenceExpectation mustNotExist = RowExistenceExpectation.EXPECT_NOT_EXIST;
    List<RowChange> rows =
        List.of(
            put(1, 10, mustNotExist),
            put(1, 11, mustNotExist),
            put(1, 12, mustExist),
            put(2, 20, mustExist),
            new RowDeleteChange(TestTable.key(3, "a"), mustExist),
            new RowUpdateChange(
                TestTable.key(1_500, "a"),
                List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(30))),
                mustNotExist),
            new RowDeleteChange(TestTable.key(1, "a"), mustExist),
            put(1, 13, mustNotExist));
    BatchWriteResult result = tables.tryWrite("orders", rows);

    assertThat(result.results())
        .extracting(RowResult::outcome)
        .containsExactly(
            Outcome.APPLIED,
            Outcome.REJECTED,
            Outcome.APPLIED,
            Outcome.REJECTED,
            Outcome.REJECTED,
            Outcome.APPLIED,
            Outcome.APPLIED,
            Outcome.APPLIED);
    assertThat(result.results())
        .filteredOn(row -> row.outcome() == Outcome.REJECTED)
        .allSatisfy(row -> assertThat(row.error()).contains(ErrorCode.CONDITION_FAILED));
    assertThat(valueOf(1)).contains(13L);
    assertThat(valueOf(2)).isEmpty();
    assertThat(valueOf(1_500)).contains(30L);
  }

  @Test
  void an_update_puts_and_removes_columns_in_the_row_and_says_so_in_its_change() {
    var unused = new TestTable("orders", 1).create(tables);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = new TestTable("orders", 1).createTunnel(tunnels, "audit");
    PrimaryKey key = TestTable.key(5, "row");
    List<RowChange> rows =
        List.of(
            new RowPutChange(
                key,
                List.of(
                    new Column("number", ColumnValue.fromLong(1)),
                    new Column("text", ColumnValue.fromString("old")),
                    new Column("bytes", ColumnValue.fromBinary(new byte[] {1, -1})))),
            new RowUpdateChange(
                key,
                List.of(
                    new ColumnUpdate.Delete("text"),
                    new ColumnUpdate.Put("flag", ColumnValue.fromBoolean(true)),
                    new ColumnUpdate.Put("number", ColumnValue.fromDouble(2.5)),
                    new ColumnUpdate.Delete("never there"))),
            new RowUpdateChange(
                TestTable.key(6, "made"), List.of(new ColumnUpdate.Delete("nothing"))),
            new RowDeleteChange(TestTable.key(7, "gone")));
    tables.write("orders", rows);

    Row row = tables.getRow("orders", key).orElseThrow();
    assertThat(row.columns())
        .containsExactlyInAnyOrder(
            new Column("bytes", ColumnValue.fromBinary(new byte[] {1, -1})),
            new Column("flag", ColumnValue.fromBoolean(true)),
            new Column("number", ColumnValue.fromDouble(2.5)));

    Recorder recorder = new Recorder();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(recorder));
    worker.connectAndWorking();
    Poll.until("four changes", () -> recorder.count() == rows.size());
    worker.shutdown();
    assertThat(recorder.seen())
        .extracting(Seen::mutation)
        .containsExactlyElementsOf(rows.stream().map(Mutation::of).toList());
    assertThat(recorder.shutdowns()).isEqualTo(1);
  }

  @Test
  void ranges_in_both_directions_over_many_partitions_and_pages_equal_those_of_a_sorted_map() {
    var unused = new TestTable("orders", 16).create(tables);
    SplittableRandom random = new SplittableRandom(99);
    NavigableMap<Long, String> model = new TreeMap<>();
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      // Some hashes lie on the borders of partitions, and some partitions are left empty.
      long hash = random.nextInt(4) == 0 ? random.nextLong(17) * 1_000 : random.nextLong(9_000);
      if (model.putIfAbsent(hash, hash + ",a") == null) {
        rows.add(put(hash, i, RowExistenceExpectation.IGNORE));
      }
    }
    tables.write("orders", rows);
    for (int round = 0; round < 60; round++) {
      long from = random.nextLong(-10, 18_000);
      long to = random.nextLong(-10, 18_000);
      RangeQuery query =
          RangeQuery.ALL
              .from(partialKey(Math.min(from, to)))
              .to(partialKey(Math.max(from, to)))
              .withPageRows(random.nextInt(1, 400))
              .withLimit(random.nextBoolean() ? Long.MAX_VALUE : random.nextLong(500));
      List<String> expected =
          new ArrayList<>(model.subMap(Math.min(from, to), Math.max(from, to)).values());
      if (random.nextBoolean()) {
        query = query.backward();
        Collections.reverse(expected);
      }
      expected = expected.subList(0, (int) Math.min(expected.size(), query.limit()));
      List<String> keys = new ArrayList<>();
      tables.getRange("orders", query).forEach(row -> keys.add(Mutation.text(row.primaryKey())));
      assertThat(keys).as("round %d: %s", round, query).isEqualTo(expected);
    }
    List<String> all = new ArrayList<>();
    tables
        .getRange("orders", RangeQuery.ALL.backward().withPageRows(7))
        .forEach(row -> all.add(Mutation.text(row.primaryKey())));
    assertThat(all).isEqualTo(List.copyOf(model.descendingMap().values()));
  }

  private static PrimaryKey partialKey(long hash) {
    return PrimaryKey.builder().add("hash", hash).build();
  }
}
