package io.tunnel.programs.bench.seeds;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/** Rows of a table, one in each request: the name is the key, and each client has a partition. */
final class TableRequests implements Requests {

  /** The table's key. */
  static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING));

  private static final List<Column> COLUMNS =
      List.of(new Column("address", ColumnValue.fromString(Names.ADDRESS)));

  private final boolean isPut;
  private final Names names;
  private final int tableId;
  private final IntUnaryOperator partitions;

  /**
   * Registers these names, or looks them up.
   *
   * @param partitions the partition of a client's names, by the number of the client
   */
  TableRequests(boolean isPut, Names names, int tableId, IntUnaryOperator partitions) {
    this.isPut = isPut;
    this.names = names;
    this.tableId = tableId;
    this.partitions = partitions;
  }

  @Override
  public String name(long request) {
    return (isPut ? Operation.WRITE : Operation.GET_ROW).name();
  }

  @Override
  public byte[] payload(int client, long request) {
    PrimaryKey key = PrimaryKey.builder().add("name", names.text(client, request)).build();
    return isPut
        ? write(
            new RowPutChange(key, COLUMNS),
            KEY,
            names.bytes() + 128,
            tableId,
            partitions.applyAsInt(client))
        : new GetRowRequest(tableId, KeyCodec.encode(key, KEY)).encode();
  }

  /**
   * The payload that writes one row.
   *
   * @param rowBytes about what the row takes in a batch
   */
  static byte[] write(
      RowChange row, List<PrimaryKeySchema> key, int rowBytes, int tableId, int partition) {
    BatchBuilder builder = new BatchBuilder(key, rowBytes);
    if (!builder.add(row)) {
      throw new IllegalStateException("a row of " + rowBytes + " bytes fits into no batch");
    }
    return WriteRequest.encode(tableId, Optional.empty(), builder.build(partition));
  }

  @Override
  public Optional<String> wrong(long request, byte[] answer) {
    if (isPut) {
      int applied = WriteResult.decode(answer).appliedRows();
      return applied == 1 ? Optional.empty() : Optional.of(applied + " of 1 rows were applied");
    }
    int rows = RowPage.decode(answer).rows().rowCount();
    return rows == 1 ? Optional.empty() : Optional.of("a name was not found");
  }
}
