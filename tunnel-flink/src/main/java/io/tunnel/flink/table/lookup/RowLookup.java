package io.tunnel.flink.table.lookup;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.FieldKind;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.Row;
import io.tunnel.sdk.TableClient;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/** Finds rows for a lookup join by their whole key, and perhaps more columns. */
public final class RowLookup implements Serializable {

  private static final long serialVersionUID = 1L;

  private final TunnelOptions table;
  private final TableLayout produced;
  private final TableLayout known;

  @SuppressWarnings("serial") // A copy of List.copyOf can be serialised.
  private final List<Integer> knownAt;

  private transient TableClient client;

  /**
   * A lookup.
   *
   * @param produced the columns of the result
   * @param knownAt the indexes of the columns that the join compares, in order
   * @param key the names of the key's columns
   * @throws ValidationException when the join does not compare the whole key
   */
  public RowLookup(
      TunnelOptions table, TableLayout produced, List<Integer> knownAt, List<String> key) {
    this.table = table;
    this.produced = produced;
    this.knownAt = List.copyOf(knownAt);
    List<Field> fields = knownAt.stream().map(produced.fields()::get).toList();
    List<String> names = fields.stream().map(Field::name).toList();
    List<Integer> keyAt = key.stream().map(names::indexOf).toList();
    if (key.isEmpty() || keyAt.contains(-1)) {
      throw new ValidationException(
          "a lookup join with table '"
              + table.table()
              + "' compares every column of its PRIMARY KEY "
              + key
              + " for equality, not only "
              + names);
    }
    this.known = new TableLayout(fields, keyAt);
  }

  /** Connects, and refuses a key that is not the table's. */
  void open() {
    client = TableClient.connect(table.clientConfig());
    known.requireKey(table.table(), client.primaryKeyOf(table.table()));
  }

  void close() {
    if (client != null) {
      client.close();
    }
  }

  Collection<RowData> find(RowData values) {
    Optional<PrimaryKey> key = key(values);
    return key.isEmpty() ? List.of() : matching(client.getRow(table.table(), key.get()), values);
  }

  CompletableFuture<Collection<RowData>> findAsync(RowData values) {
    Optional<PrimaryKey> key = key(values);
    return key.isEmpty()
        ? CompletableFuture.completedFuture(List.of())
        : client.getRowAsync(table.table(), key.get()).thenApply(found -> matching(found, values));
  }

  /**
   * The key to look up; empty for a key that no row can have, because of a NULL or a text that is
   * too long.
   */
  private Optional<PrimaryKey> key(RowData values) {
    List<PrimaryKeyColumn> columns = new ArrayList<>(known.keyIndexes().size());
    for (int index : known.keyIndexes()) {
      if (values.isNullAt(index)) {
        return Optional.empty();
      }
      Field field = known.fields().get(index);
      columns.add(new PrimaryKeyColumn(field.name(), field.kind().readKey(values, index)));
    }
    return Optional.of(new PrimaryKey(columns)).filter(TableLayout::canBeKey);
  }

  private Collection<RowData> matching(Optional<Row> found, RowData values) {
    if (found.isEmpty()) {
      return List.of();
    }
    GenericRowData row = produced.toSql(found.get());
    for (int i = 0; i < knownAt.size(); i++) {
      if (!known.isKey(i) && !isEqual(row, values, i)) {
        return List.of();
      }
    }
    return List.of(row);
  }

  private boolean isEqual(GenericRowData row, RowData values, int i) {
    int at = knownAt.get(i);
    if (row.isNullAt(at) || values.isNullAt(i)) {
      return false;
    }
    FieldKind kind = known.fields().get(i).kind();
    return Objects.equals(kind.read(row, at), kind.read(values, i));
  }
}
