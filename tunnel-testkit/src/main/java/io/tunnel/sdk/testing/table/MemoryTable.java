package io.tunnel.sdk.testing.table;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;

/** A table with its partitions in key order. */
public final class MemoryTable {

  private final int tableId;
  private final long createdMs;
  private final List<MemoryPartition> partitions = new ArrayList<>();
  private TableMeta meta;

  /** A table whose partitions' ids count up from {@code firstPartitionId}. */
  public MemoryTable(
      int tableId,
      TableMeta meta,
      List<PrimaryKeyValue> splitPoints,
      int firstPartitionId,
      long createdMs) {
    this.tableId = tableId;
    this.meta = meta;
    this.createdMs = createdMs;
    List<Bytes> bounds = bounds(meta.primaryKey().get(0).type(), splitPoints);
    for (int i = 0; i + 1 < bounds.size(); i++) {
      partitions.add(
          new MemoryPartition(
              firstPartitionId + i, bounds.get(i), bounds.get(i + 1), meta.primaryKey()));
    }
  }

  private static List<Bytes> bounds(PrimaryKeyType type, List<PrimaryKeyValue> splitPoints) {
    if (splitPoints.size() >= Limits.TABLE_PARTITIONS_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          splitPoints.size()
              + " split points are too many: a table has up to "
              + Limits.TABLE_PARTITIONS_MAX
              + " partitions");
    }
    List<Bytes> bounds = new ArrayList<>(List.of(Bytes.EMPTY));
    for (PrimaryKeyValue point : splitPoints) {
      if (point.getType() != type) {
        throw new RefusedException(
            ErrorCode.KEY_MISMATCH,
            "the first key column is " + type + ", but a split point is " + point.getType());
      }
      Bytes bound = KeyCodec.encode(point);
      if (bound.compareTo(bounds.get(bounds.size() - 1)) <= 0) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST, "split point " + point + " is not above the one before it");
      }
      bounds.add(bound);
    }
    bounds.add(Bytes.EMPTY);
    return bounds;
  }

  /** The id of the table. */
  public int tableId() {
    return tableId;
  }

  /** The present name, key and options of the table. */
  public TableMeta meta() {
    return meta;
  }

  /** The name of the table. */
  public String name() {
    return meta.name();
  }

  /** Deletes the rows whose time to live is over. */
  public void expire(VirtualTime time) {
    meta.options()
        .ttlMs()
        .ifPresent(ttlMs -> partitions.forEach(partition -> partition.expire(ttlMs, time)));
  }

  /** Changes the named options. */
  public void alter(OptionsChange change) {
    TableOptions options = change.over(meta.options());
    if (meta.options().ttlMs().isPresent() != options.ttlMs().isPresent()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a time to live of table '"
              + meta.name()
              + "' can be neither added nor removed; only its length can be altered");
    }
    meta = new TableMeta(meta.name(), meta.primaryKey(), options);
  }

  /** All partitions, in key order. */
  public List<MemoryPartition> partitions() {
    return partitions;
  }

  /**
   * The partition with an id.
   *
   * @throws RefusedException when the table has none
   */
  public MemoryPartition partition(int id) {
    return partitions.stream()
        .filter(partition -> partition.id() == id)
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.WRONG_PARTITION,
                    "partition " + id + " is not one of table " + name() + "; read its map again"));
  }

  /** The index of the partition that holds the first keys at or above {@code bound}. */
  public int indexOf(Bytes bound) {
    int index = 0;
    while (index + 1 < partitions.size()
        && partitions.get(index + 1).from().compareTo(bound) <= 0) {
      index++;
    }
    return index;
  }

  /** The partition of an encoded key, which fits the table. */
  public MemoryPartition partitionOf(Bytes key) {
    byte[] array = key.toByteArray();
    int end = KeyCodec.skipColumn(array, 0, array.length, meta.primaryKey().get(0).type());
    return partitions.get(indexOf(Bytes.copyOf(array, 0, end)));
  }

  /** Describes the table, with figures on request. */
  public TableDescription describe(boolean withFigures) {
    return new TableDescription(
        tableId,
        meta,
        createdMs,
        partitions.stream().map(partition -> partition.describe(withFigures)).toList());
  }
}
