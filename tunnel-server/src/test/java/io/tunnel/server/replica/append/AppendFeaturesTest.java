package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.ExpirySweeps;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The features of rows in a cluster of appends, across changes of the leader. */
final class AppendFeaturesTest {

  private static final List<PrimaryKeySchema> NUMBERED =
      List.of(new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("n"));
  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  private static final Bytes OTHER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(8).array());
  private static final long TTL_MS = 2_000;
  private static final Bytes ATOMIC = Attributes.atomic(Bytes.EMPTY);

  @TempDir private Path directory;
  private ReplicaNodes nodes;
  private Catalog catalog;
  private int plain;
  private int expiring;
  private int numbered;
  private Node first;
  private Node second;
  private final Map<Node, ExpirySweeps> sweeps = new HashMap<>();

  @BeforeEach
  void start() throws IOException {
    nodes = new ReplicaNodes(directory);
    catalog = new Catalog(new MemoryCatalogStore());
    plain = table("plain", TestRows.SCHEMA, TableOptions.DEFAULT);
    expiring = table("expiring", TestRows.SCHEMA, ttl(TTL_MS));
    numbered = table("numbered", NUMBERED, TableOptions.DEFAULT);
    nodes.catalog = OwnCatalog.ofCache(catalog);
    first = begin(1);
    second = begin(2);
  }

  private static TableOptions ttl(long ms) {
    return TableOptions.DEFAULT.withTtl(Duration.ofMillis(ms));
  }

  private int table(String name, List<PrimaryKeySchema> schema, TableOptions options)
      throws IOException {
    return catalog
        .createTable(new TableMeta(name, schema, options), List.of(), 0)
        .partitions()
        .get(0)
        .id();
  }

  private Node begin(int id) throws IOException {
    Node node = nodes.start(id);
    sweeps.put(node, new ExpirySweeps(catalog, node.replicas.shards(), 100_000));
    return node;
  }

  @AfterEach
  void stop() throws IOException {
    nodes.close();
  }

  private void lead(Node node, int partition) throws IOException {
    for (Node other : List.of(first, second)) {
      if (other != node) {
        other.replicas.follow(partition);
      }
    }
    node.replicas.lead(partition);
    nodes.pass(100);
    assertThat(node.replicas.isServing(partition)).isTrue();
  }

  /** The first node starts again. */
  private void restart(boolean isEmpty) throws IOException {
    first.close();
    sweeps.remove(first);
    if (isEmpty) {
      PrivateFiles.deleteAll(directory.resolve("node-1"));
    }
    first = begin(1);
  }

  private void sweep() throws IOException {
    sweeps.values().forEach(each -> each.tick(nodes.clock.nanos()));
    nodes.settle();
  }

  private static ChangeBatch batch(
      int partition, List<PrimaryKeySchema> schema, Bytes attributes, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(schema, 256);
    builder.setAttributes(attributes);
    rows.forEach(row -> assertThat(builder.add(row)).isTrue());
    byte[] array = builder.build(partition);
    return ChangeBatch.parse(array, 0, array.length);
  }

  /** Sends a batch; nothing lands yet. */
  private Outcomes send(Node node, ChangeBatch batch, Optional<Numbered> writer) {
    List<PrimaryKeySchema> schema = batch.partition() == numbered ? NUMBERED : TestRows.SCHEMA;
    BatchValidator.Checked checked =
        new BatchValidator(schema).require(batch, Bytes.EMPTY, Bytes.EMPTY);
    Outcomes outcome = new Outcomes();
    node.replicas
        .of(batch.partition())
        .write(
            new PendingWrite(
                batch,
                new PendingWrite.Judging(
                    ConditionPlace.ofRows(schema), checked.mustJudge(), checked.columnSizes()),
                writer,
                true,
                outcome));
    return outcome;
  }

  private Outcomes send(Node node, int partition, RowChange... rows) {
    ChangeBatch batch = batch(partition, TestRows.SCHEMA, Bytes.EMPTY, List.of(rows));
    return send(node, batch, Optional.empty());
  }

  private WriteResult write(Node node, int partition, RowChange... rows) throws Exception {
    Outcomes outcome = send(node, partition, rows);
    nodes.settle();
    return outcome.result();
  }

  private Outcomes atomic(Node node, Numbered writer, RowChange... rows) {
    return send(node, batch(plain, TestRows.SCHEMA, ATOMIC, List.of(rows)), Optional.of(writer));
  }

  private boolean has(Node node, int partition, String name) {
    return node.replicas.of(partition).table().get(partition, keyBytes(name)).isPresent();
  }

  private long value(Node node, int partition, String name, String column) {
    return node.replicas.of(partition).table().get(partition, keyBytes(name)).orElseThrow().stream()
        .filter(each -> each.getName().equals(column))
        .findFirst()
        .orElseThrow()
        .getValue()
        .asLong();
  }

  private static Column column(String name, long value) {
    return new Column(name, ColumnValue.fromLong(value));
  }

  private static RowChange set(String name, String column, long value) {
    return new RowUpdateChange(
        key(name), List.of(new ColumnUpdate.Put(column, ColumnValue.fromLong(value))));
  }

  private static RowChange add(String name, long delta) {
    return new RowUpdateChange(key(name), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  private static RowChange create(String name) {
    return new RowPutChange(key(name), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  /** What a node has of a partition: the number of rows of each batch. */
  private static List<Integer> batches(Node node, int partition) throws IOException {
    List<Integer> rows = new ArrayList<>();
    for (ChangeBatch batch :
        TestLogs.batches(
            node.replicas.shards().get(partition % ReplicaNodes.SHARDS).log(), partition)) {
      if (batch.rowCount() > 0) {
        rows.add(batch.rowCount());
      }
    }
    return rows;
  }

  // Atomic batches

  @Test
  void an_atomic_batch_whose_leader_dies_before_the_answer_counts_as_a_whole_and_once()
      throws Exception {
    lead(first, plain);
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes lost = atomic(first, batch, put("a"), create("b"), put("c"));
    var unused = first.step();
    nodes.logs.land(true);
    restart(false);
    assertThat(lost.refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    lead(second, plain);
    Outcomes again = atomic(second, batch, put("a"), create("b"), put("c"));
    nodes.settle();
    assertThat(again.result().firstPosition()).isEqualTo(1);
    assertThat(again.result().appliedRows()).isEqualTo(3);
    for (Node node : List.of(first, second)) {
      assertThat(batches(node, plain)).containsExactly(3);
    }
    assertThat(has(second, plain, "b")).isTrue();
  }

  @Test
  void an_atomic_batch_that_never_landed_is_seen_by_nobody() throws Exception {
    lead(first, plain);
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes lost = atomic(first, batch, put("a"), put("b"));
    // The next leader claims before the batch lands.
    second.replicas.lead(plain);
    second.replicas.tick();
    var unusedOfSecond = second.step();
    nodes.logs.land(true);
    var unusedOfFirst = first.step();
    nodes.settle();
    assertThat(lost.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    first.replicas.follow(plain);
    nodes.pass(100);
    assertThat(has(second, plain, "a")).isFalse();
    assertThat(has(second, plain, "b")).isFalse();
    Outcomes again = atomic(second, batch, put("a"), put("b"));
    nodes.settle();
    assertThat(again.result().firstPosition()).isEqualTo(1);
    assertThat(batches(first, plain)).containsExactly(2);
  }

  @Test
  void a_refused_atomic_batch_is_refused_by_the_next_leader_too_and_leaves_no_change()
      throws Exception {
    lead(first, plain);
    write(first, plain, put("b"));
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes refused = atomic(first, batch, put("a"), create("b"));
    nodes.settle();
    assertThat(refused.result().rejections()).hasSize(2);
    write(first, plain, new RowDeleteChange(key("b")));
    lead(second, plain);
    Outcomes again = atomic(second, batch, put("a"), create("b"));
    nodes.settle();
    assertThat(again.result()).isEqualTo(refused.result());
    assertThat(second.replicas.committed(plain)).isEqualTo(2);
    assertThat(write(second, plain, put("z")).firstPosition()).isEqualTo(3);
  }

  // Time to live

  @Test
  void an_expired_row_is_absent_and_its_leader_deletes_it_once() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a"), put("b"));
    sweep();
    nodes.clock.pass(TTL_MS);
    assertThat(has(first, expiring, "a")).as("before the shard looks at its clock").isTrue();
    nodes.settle();
    sweep();
    assertThat(has(first, expiring, "a")).isFalse();
    nodes.pass(100);
    sweep();
    for (Node node : List.of(first, second)) {
      assertThat(node.replicas.committed(expiring)).isEqualTo(4);
      assertThat(batches(node, expiring)).containsExactly(2, 2);
    }
    assertThat(sweeps.get(first).lagMicros()).hasValue(0);
    assertThat(sweeps.get(second).lagMicros()).as("of a node that follows").hasValue(0);
  }

  @Test
  void the_next_leader_deletes_what_expired_and_a_write_finds_no_expired_row() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a", column("old", 1)), put("b"));
    lead(second, expiring);
    nodes.pass(TTL_MS);
    assertThat(write(second, expiring, create("a")).appliedRows()).isEqualTo(1);
    assertThat(second.replicas.committed(expiring)).as("PUT, PUT, DELETE, PUT").isEqualTo(4);
    sweep();
    assertThat(second.replicas.committed(expiring)).as("DELETE of b").isEqualTo(5);
    assertThat(has(second, expiring, "a")).isTrue();
  }

  @Test
  void rows_of_a_leader_whose_clock_is_behind_are_deleted_by_the_next_leader() throws Exception {
    nodes.aheadMicros.put(1, 3_000_000L);
    lead(first, expiring);
    write(first, expiring, put("gone"));
    nodes.pass(TTL_MS);
    // The first node has seen that no row is left before its own, fast time.
    sweep();
    assertThat(first.replicas.committed(expiring)).isEqualTo(2);
    nodes.pass(3_000);
    sweep();
    lead(second, expiring);
    write(second, expiring, put("slow"));
    lead(first, expiring);
    nodes.pass(3 * TTL_MS);
    sweep();
    sweep();
    assertThat(first.replicas.committed(expiring)).as("a DELETE of each row").isEqualTo(4);
  }

  @Test
  void a_row_that_was_under_way_during_a_sweep_is_deleted_later() throws Exception {
    lead(first, expiring);
    sweep();
    Outcomes late = send(first, expiring, put("late"));
    var unused = first.step();
    nodes.clock.pass(TTL_MS / 2);
    sweeps.get(first).tick(nodes.clock.nanos());
    var unusedToo = first.step();
    assertThat(late.isTold()).isFalse();
    nodes.settle();
    assertThat(late.result().appliedRows()).isEqualTo(1);
    nodes.pass(TTL_MS / 2);
    assertThat(write(first, expiring, set("late", "v", 1)).appliedRows()).isEqualTo(1);
    assertThat(first.replicas.committed(expiring)).as("PUT, DELETE, UPDATE").isEqualTo(3);
    nodes.pass(TTL_MS);
    sweep();
    assertThat(first.replicas.committed(expiring)).isEqualTo(4);
  }

  @Test
  void a_longer_life_holds_for_rows_of_a_former_leader() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a"));
    var unused = catalog.alterTable(catalog.table("expiring"), ttl(10 * TTL_MS), 0, Asked.NAMELESS);
    lead(second, expiring);
    nodes.pass(2 * TTL_MS);
    sweep();
    assertThat(has(second, expiring, "a")).isTrue();
    nodes.pass(10 * TTL_MS);
    sweep();
    assertThat(has(second, expiring, "a")).isFalse();
    assertThat(second.replicas.committed(expiring)).isEqualTo(2);
  }

  // Numbers of the server

  private static RowChange newRow() {
    return new RowPutChange(PrimaryKey.builder().add("shop", "s").auto("n").build(), List.of());
  }

  private static PrimaryKey row(long number) {
    return PrimaryKey.builder().add("shop", "s").add("n", number).build();
  }

  private Outcomes number(Node node, Numbered writer, RowChange... rows) {
    ChangeBatch batch = batch(numbered, NUMBERED, Bytes.EMPTY, List.of(rows));
    return send(node, batch, Optional.of(writer));
  }

  @Test
  void a_number_is_never_given_twice_across_leaders() throws Exception {
    lead(first, numbered);
    Outcomes two = number(first, new Numbered(WRITER, 1, 0), newRow(), newRow());
    nodes.settle();
    assertThat(two.result().firstNumber()).isEqualTo(OptionalLong.of(1));
    Outcomes gone = number(first, new Numbered(WRITER, 2, 1), new RowDeleteChange(row(2)));
    nodes.settle();
    assertThat(gone.result().appliedRows()).isEqualTo(1);
    // A third row lands, and its leader dies before the answer.
    var unusedLost = number(first, new Numbered(WRITER, 3, 2), newRow());
    var unused = first.step();
    nodes.logs.land(true);
    restart(true);
    lead(second, numbered);
    Outcomes again = number(second, new Numbered(WRITER, 3, 2), newRow());
    Outcomes next = number(second, new Numbered(OTHER, 1, 0), newRow());
    nodes.settle();
    assertThat(again.result().firstNumber()).isEqualTo(OptionalLong.of(3));
    assertThat(next.result().firstNumber()).isEqualTo(OptionalLong.of(4));
    // A node without its disk has read the numbers from the log.
    lead(first, numbered);
    Outcomes last = number(first, new Numbered(OTHER, 2, 1), newRow());
    nodes.settle();
    assertThat(last.result().firstNumber()).isEqualTo(OptionalLong.of(5));
    assertThat(first.replicas.of(numbered).table().get(numbered, KeyCodec.encode(row(3), NUMBERED)))
        .isPresent();
  }

  // Writers

  @Test
  void a_writer_is_known_for_ten_minutes_of_the_log_on_each_node() throws Exception {
    lead(first, plain);
    ChangeBatch rows = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(add("n", 1)));
    Outcomes one = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    nodes.clock.pass(9 * 60_000);
    write(first, plain, put("other"));
    lead(second, plain);
    Outcomes again = send(second, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result()).isEqualTo(one.result());
    restart(true);
    lead(first, plain);
    Outcomes cold = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(cold.result()).isEqualTo(one.result());
    // Clocks alone forget nobody: the log has to be older.
    nodes.clock.pass(2 * 60_000);
    Outcomes late = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(late.result()).isEqualTo(one.result());
    Outcomes other = send(first, rows, Optional.of(new Numbered(OTHER, 1, 0)));
    nodes.settle();
    assertThat(other.result().appliedRows()).isEqualTo(1);
    for (Node node : List.of(first, second)) {
      lead(node, plain);
      Outcomes gone = send(node, rows, Optional.of(new Numbered(WRITER, 1, 0)));
      nodes.settle();
      assertThat(gone.refusal()).isEqualTo(ErrorCode.WRITER_ENDED);
    }
    assertThat(value(second, plain, "n", "v")).isEqualTo(2);
  }

  @Test
  void a_refused_batch_that_lands_late_forgets_no_writer_of_the_last_ten_minutes()
      throws Exception {
    lead(first, plain);
    ChangeBatch rows = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(put("a")));
    Outcomes one = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    nodes.clock.pass(10 * 60_000 - 10_000);
    ChangeBatch refused = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(create("a")));
    Outcomes other = send(first, refused, Optional.of(new Numbered(OTHER, 1, 0)));
    var unused = first.step();
    nodes.clock.pass(20_000);
    nodes.settle();
    assertThat(other.result().rejections()).hasSize(1);
    Outcomes again = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result()).isEqualTo(one.result());
  }

  // Updates

  @Test
  void updates_are_appended_without_a_read_and_merged_by_each_node() throws Exception {
    lead(first, plain);
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      outcomes.add(send(first, plain, set("a", "c" + i, i)));
      var unused = first.step();
    }
    assertThat(outcomes).noneMatch(Outcomes::isTold);
    nodes.settle();
    for (int i = 0; i < 4; i++) {
      assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(i + 1);
    }
    assertThat(batches(first, plain)).as("four records under way").containsExactly(1, 1, 1, 1);
    lead(second, plain);
    for (int i = 0; i < 4; i++) {
      assertThat(value(second, plain, "a", "c" + i)).isEqualTo(i);
    }
  }

  @Test
  void increments_and_returned_columns_go_on_at_the_next_leader() throws Exception {
    lead(first, plain);
    write(first, plain, add("n", 5));
    lead(second, plain);
    RowUpdateChange more =
        new RowUpdateChange(key("n"), List.of(new ColumnUpdate.Increment("v", 2)))
            .returning(Returning.columns("v"));
    Outcomes outcome =
        send(
            second,
            batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(more)),
            Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(outcome.result().returned()).hasSize(1);
    lead(first, plain);
    Outcomes again =
        send(
            first,
            batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(more)),
            Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result().returned()).hasSize(1);
    assertThat(again.result().firstPosition()).isEqualTo(outcome.result().firstPosition());
    assertThat(value(first, plain, "n", "v")).isEqualTo(7);
  }
}
