package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes over a log of appends, with a plain table, one whose rows expire, and a numbered one.
 */
abstract class FeatureNodes {

  static final List<PrimaryKeySchema> NUMBERED =
      List.of(new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("n"));
  static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  static final Bytes OTHER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(8).array());
  static final long TTL_MS = 2_000;
  static final Bytes ATOMIC = Attributes.atomic(Bytes.EMPTY);

  @TempDir private Path directory;
  ReplicaNodes nodes;
  Catalog catalog;
  int plain;
  int expiring;
  int numbered;
  Node first;
  Node second;
  final Map<Node, ExpirySweeps> sweeps = new HashMap<>();

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

  static TableOptions ttl(long ms) {
    return TableOptions.DEFAULT.withTtl(Duration.ofMillis(ms));
  }

  int table(String name, List<PrimaryKeySchema> schema, TableOptions options) throws IOException {
    return catalog
        .createTable(new TableMeta(name, schema, options), List.of(), 0)
        .partitions()
        .get(0)
        .id();
  }

  Node begin(int id) throws IOException {
    Node node = nodes.start(id);
    sweeps.put(node, new ExpirySweeps(catalog, node.replicas.shards(), 100_000));
    return node;
  }

  @AfterEach
  void stop() throws IOException {
    nodes.close();
  }

  void lead(Node node, int partition) throws IOException {
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
  void restart(boolean isEmpty) throws IOException {
    first.close();
    sweeps.remove(first);
    if (isEmpty) {
      PrivateFiles.deleteAll(directory.resolve("node-1"));
    }
    first = begin(1);
  }

  void sweep() throws IOException {
    sweeps.values().forEach(each -> each.tick(nodes.clock.nanos()));
    nodes.settle();
  }

  static ChangeBatch batch(
      int partition, List<PrimaryKeySchema> schema, Bytes attributes, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(schema, 256);
    builder.setAttributes(attributes);
    rows.forEach(row -> assertThat(builder.add(row)).isTrue());
    byte[] array = builder.build(partition);
    return ChangeBatch.parse(array, 0, array.length);
  }

  /** Sends a batch; nothing lands yet. */
  Outcomes send(Node node, ChangeBatch batch, Optional<Numbered> writer) {
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

  Outcomes send(Node node, int partition, RowChange... rows) {
    ChangeBatch batch = batch(partition, TestRows.SCHEMA, Bytes.EMPTY, List.of(rows));
    return send(node, batch, Optional.empty());
  }

  WriteResult write(Node node, int partition, RowChange... rows) throws Exception {
    Outcomes outcome = send(node, partition, rows);
    nodes.settle();
    return outcome.result();
  }

  Outcomes atomic(Node node, Numbered writer, RowChange... rows) {
    return send(node, batch(plain, TestRows.SCHEMA, ATOMIC, List.of(rows)), Optional.of(writer));
  }

  boolean has(Node node, int partition, String name) {
    return node.replicas.of(partition).table().get(partition, keyBytes(name)).isPresent();
  }

  long value(Node node, int partition, String name, String column) {
    return node.replicas.of(partition).table().get(partition, keyBytes(name)).orElseThrow().stream()
        .filter(each -> each.getName().equals(column))
        .findFirst()
        .orElseThrow()
        .getValue()
        .asLong();
  }

  static Column column(String name, long value) {
    return new Column(name, ColumnValue.fromLong(value));
  }

  static RowChange set(String name, String column, long value) {
    return new RowUpdateChange(
        key(name), List.of(new ColumnUpdate.Put(column, ColumnValue.fromLong(value))));
  }

  static RowChange add(String name, long delta) {
    return new RowUpdateChange(key(name), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  static RowChange create(String name) {
    return new RowPutChange(key(name), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  /** What a node has of a partition: the number of rows of each batch. */
  static List<Integer> batches(Node node, int partition) throws IOException {
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
}
