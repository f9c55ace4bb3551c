package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.programs.bench.seeds.publish.Publishing.Request;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Paths as rows of a table whose key is the path, such as {@code /00012/00007}.
 *
 * @param bytes of the data
 */
record PathRows(int bytes) {

  /** The table's key. */
  static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("path", PrimaryKeyType.STRING));

  private static final String DATA = "data";
  private static final int DIGITS = 5;

  /** Key, column name, attributes and header of a row in a batch. */
  private static final int ROW_OVERHEAD_BYTES = 256;

  /** What all paths of a publisher begin with. */
  static String directory(int publisher) {
    return "/" + digits(publisher);
  }

  private static String digits(int number) {
    return String.format(Locale.ROOT, "%0" + DIGITS + "d", number);
  }

  static PrimaryKey key(int publisher, int path) {
    return PrimaryKey.builder().add("path", directory(publisher) + "/" + digits(path)).build();
  }

  static Bytes encodedKey(int publisher, int path) {
    return KeyCodec.encode(key(publisher, path), KEY);
  }

  /** The number of the path at a cursor. */
  static int path(RowCursor row) {
    String text =
        KeyCodec.decode(row.batch().array(), row.keyOffset(), row.keyBytes(), KEY)
            .getPrimaryKeyColumn(0)
            .getValue()
            .asString();
    return Integer.parseInt(text.substring(text.length() - DIGITS));
  }

  private RowChange change(Request request, int publisher, int path) {
    PrimaryKey key = key(publisher, path);
    return switch (request) {
      case CREATE ->
          new RowPutChange(
              key,
              List.of(new Column(DATA, data(publisher, path))),
              RowExistenceExpectation.EXPECT_NOT_EXIST);
      case SET ->
          new RowUpdateChange(
              key,
              List.of(new ColumnUpdate.Put(DATA, data(publisher, path))),
              RowExistenceExpectation.EXPECT_EXIST);
      case DELETE -> new RowDeleteChange(key, RowExistenceExpectation.EXPECT_EXIST);
    };
  }

  private ColumnValue data(int publisher, int path) {
    return ColumnValue.fromBinary(PathData.of(publisher, path, bytes));
  }

  /**
   * The payload of a write.
   *
   * @param session binds what is created; empty for rows that stay
   */
  byte[] write(
      Request request, int publisher, int path, Place place, Optional<SessionProof> session) {
    BatchBuilder builder = new BatchBuilder(KEY, bytes + ROW_OVERHEAD_BYTES);
    session.ifPresent(
        proof -> {
          builder.bind(proof);
          builder.setAttributes(proof.addTo(Bytes.EMPTY));
        });
    if (!builder.add(change(request, publisher, path))) {
      throw new IllegalStateException("a row of " + bytes + " bytes fits into no batch");
    }
    return WriteRequest.encode(place.tableId(), Optional.empty(), builder.build(place.partition()));
  }

  /** Where rows are. */
  record Place(int tableId, int partition) {}

  /** What is wrong with the answer to {@link #write}. */
  static Optional<String> wrongWrite(byte[] answer) {
    return WriteResult.decode(answer).appliedRows() == 1
        ? Optional.empty()
        : Optional.of("the row was not applied");
  }

  /** What is wrong with the row that was read of a path. */
  Optional<String> wrongRead(byte[] answer, int publisher, int path) {
    RowCursor row = RowPage.decode(answer).rows().rows();
    if (!row.next()) {
      return Optional.of("the path was not found");
    }
    ColumnCursor columns = row.columns();
    if (!columns.next()) {
      return Optional.of("the path has no data");
    }
    return PathData.wrong(columns.value().asBinary(), publisher, path, bytes);
  }
}
