package io.tunnel.sdk.write;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The lane of each row, by one version of the table's partition map. */
final class Routes {

  private final List<Lane> lanes;

  /** The first key of each lane but the first, in rising order: one bound fewer than lanes. */
  private final List<Bound> bounds;

  private Routes(List<Lane> lanes, List<Bound> bounds) {
    this.lanes = List.copyOf(lanes);
    this.bounds = List.copyOf(bounds);
  }

  /**
   * Routes by a partition map. A lane whose partition is still in the map stays: partition ids are
   * never reused, so an equal id is the same partition.
   *
   * @param table the map, its partitions in the order of their keys
   * @param known the lanes of the previous map
   * @throws IllegalStateException when the map has no partition
   */
  static Routes of(
      TableDescription table,
      Optional<Durability> durability,
      Lane.Settings settings,
      List<Lane> known) {
    if (table.partitions().isEmpty()) {
      throw new IllegalStateException("table " + table.meta().name() + " has no partition");
    }
    byte[] prefix = new byte[WriteRequest.PREFIX_BYTES];
    WriteRequest.writePrefix(prefix, 0, table.tableId(), durability);
    List<PrimaryKeySchema> schema = table.meta().primaryKey();
    List<Lane> lanes = new ArrayList<>();
    List<Bound> bounds = new ArrayList<>();
    for (PartitionDescription partition : table.partitions()) {
      if (!lanes.isEmpty()) {
        bounds.add(Bound.of(partition.from(), schema.get(0).type()));
      }
      Optional<Endpoint> leader = Endpoint.told(partition.leader());
      Lane lane =
          known.stream()
              .filter(kept -> kept.partition() == partition.id())
              .findFirst()
              .orElseGet(() -> new Lane(partition.id(), prefix, schema, settings, leader));
      lane.ledBy(leader);
      lanes.add(lane);
    }
    return new Routes(lanes, bounds);
  }

  List<Lane> lanes() {
    return lanes;
  }

  /**
   * The lane of a row; any lane when the row's key does not fit the table's schema.
   *
   * @throws IllegalArgumentException perhaps, when the first column of the key can never be encoded
   */
  Lane laneOf(RowChange row) {
    if (lanes.size() == 1) {
      return lanes.get(0);
    }
    PrimaryKeyValue column = row.primaryKey().getPrimaryKeyColumns().get(0).getValue();
    int low = 0;
    int high = bounds.size();
    // Searches the first bound above the key: the row's lane ends there.
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds.get(middle).isAtOrBelow(column)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return lanes.get(low);
  }

  /**
   * The lane of rows of one partition.
   *
   * @throws IllegalArgumentException when the rows are of several partitions; names the first row
   *     of another partition than the first
   */
  Lane laneOfAll(List<RowChange> rows) {
    Lane lane = laneOf(rows.get(0));
    for (int i = 1; i < rows.size(); i++) {
      Lane other = laneOf(rows.get(i));
      if (other != lane) {
        throw new IllegalArgumentException(
            "an atomic batch has rows of one partition: row 0, "
                + rows.get(0).primaryKey()
                + ", is of partition "
                + lane.partition()
                + ", and row "
                + i
                + ", "
                + rows.get(i).primaryKey()
                + ", is of partition "
                + other.partition()
                + ". Rows with the same first key column are of one partition");
      }
    }
    return lane;
  }

  /**
   * The smallest first key column of a partition. Keys are ordered by their encoded bytes. Most
   * columns are compared by value instead, so that a row is encoded only once, into its batch.
   *
   * @param encoded the column's bytes
   * @param value the column's value, present when values of its type are in the order of their
   *     bytes: integers, bytes, and text whose characters are all below the surrogates (from there
   *     on, UTF-16 and UTF-8 differ in order)
   */
  record Bound(Bytes encoded, Optional<PrimaryKeyValue> value) {

    private static final int KEY_BYTES_GUESS = 24;

    /** The bound of a table whose first key column has type {@code type}. */
    static Bound of(Bytes encoded, PrimaryKeyType type) {
      try {
        PrimaryKeyValue value = KeyCodec.decodeColumn(encoded, type);
        return new Bound(encoded, Optional.of(value).filter(Bound::isInOrder));
      } catch (MalformedException e) {
        // A prefix of a column has no value, but its bytes still compare.
        return new Bound(encoded, Optional.empty());
      }
    }

    private static boolean isInOrder(PrimaryKeyValue value) {
      return !(value.toColumnValue() instanceof StringValue text)
          || text.value().chars().allMatch(c -> c < Character.MIN_SURROGATE);
    }

    /**
     * Whether a row whose first key column is {@code first} belongs at the bound or above it.
     *
     * @throws IllegalArgumentException perhaps, when the column can never be encoded
     */
    boolean isAtOrBelow(PrimaryKeyValue first) {
      ColumnValue bound = value.map(PrimaryKeyValue::toColumnValue).orElse(null);
      ColumnValue column = first.toColumnValue();
      if (bound instanceof BinaryValue bytes && column instanceof BinaryValue binary) {
        return bytes.value().compareTo(binary.value()) <= 0;
      }
      if (bound instanceof StringValue text && column instanceof StringValue string) {
        return text.value().compareTo(string.value()) <= 0;
      }
      if (bound instanceof IntegerValue number && column instanceof IntegerValue integer) {
        return number.value() <= integer.value();
      }
      ByteSink key = new ByteSink(KEY_BYTES_GUESS);
      KeyCodec.write(key, first);
      return encoded.compareTo(key.array(), 0, key.size()) <= 0;
    }
  }
}
