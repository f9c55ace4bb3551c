package io.tunnel.it.ledger;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The table that most tests write to: keys {@code (hash INTEGER, id STRING)}, a partition for every
 * thousand hashes, and changes that follow from a seed.
 */
public record TestTable(String name, int partitions, Durability durability) {

  public static final int HASHES_PER_PARTITION = 1_000;
  private static final int KEYS_PER_PARTITION = 50;

  public TestTable(String name, int partitions) {
    this(name, partitions, Durability.FSYNC);
  }

  public TableMeta meta() {
    return new TableMeta(
        name,
        List.of(
            new PrimaryKeySchema("hash", PrimaryKeyType.INTEGER),
            new PrimaryKeySchema("id", PrimaryKeyType.STRING)),
        new TableOptions(durability));
  }

  public List<PrimaryKeyValue> splitPoints() {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      points.add(PrimaryKeyValue.fromLong(i * HASHES_PER_PARTITION));
    }
    return points;
  }

  public TableInfo create(TableClient client) {
    return client.createTable(meta(), splitPoints());
  }

  /** A tunnel from the first change on; returns its id. */
  public String createTunnel(TunnelClient client, String tunnel) {
    return client
        .createTunnel(
            new CreateTunnelRequest(name, tunnel, TunnelType.Stream, StreamStart.EARLIEST))
        .getTunnelId();
  }

  public static PrimaryKey key(long hash, String id) {
    return PrimaryKey.builder().add("hash", hash).add("id", id).build();
  }

  /** A PUT of a row with one column. */
  public static RowPutChange put(long hash, String id, long value) {
    return new RowPutChange(key(hash, id), List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  /** Every partition's share of keys is the same; few keys, each written often. */
  public RowChange change(SplittableRandom random, long sequence) {
    int index = random.nextInt(partitions * KEYS_PER_PARTITION);
    PrimaryKey key = key(index * (long) (HASHES_PER_PARTITION / KEYS_PER_PARTITION), "k" + index);
    Column version = new Column("v", ColumnValue.fromLong(sequence));
    int dice = random.nextInt(100);
    ChangeKind kind =
        dice < 70 ? ChangeKind.PUT : dice < 90 ? ChangeKind.UPDATE : ChangeKind.DELETE;
    return switch (kind) {
      case PUT ->
          new RowPutChange(
              key,
              List.of(
                  version,
                  new Column("text", ColumnValue.fromString("text of change " + sequence)),
                  new Column("half", ColumnValue.fromDouble(sequence / 2.0))));
      case UPDATE ->
          new RowUpdateChange(
              key,
              List.of(
                  new ColumnUpdate.Put("v", version.getValue()),
                  new ColumnUpdate.Put("even", ColumnValue.fromBoolean(sequence % 2 == 0)),
                  new ColumnUpdate.Delete("text")));
      case DELETE -> new RowDeleteChange(key);
    };
  }
}
