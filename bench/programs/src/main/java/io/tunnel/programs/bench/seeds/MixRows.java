package io.tunnel.programs.bench.seeds;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;

/**
 * The rows of a mix: the rows that are there before the load begins, and the rows that clients put.
 *
 * @param before how many rows are there before the first operation
 * @param bytes of the column of each row
 */
record MixRows(int before, int bytes) {

  /** The table's key. */
  static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING));

  /** The column of each row. */
  static final String COLUMN = "data";

  /** Digits of the greatest number of rows from before, so that their keys stand in order. */
  private static final int DIGITS = 8;

  /** The key of one of the rows from before. */
  PrimaryKey before(int number) {
    String digits = Integer.toString(number);
    return key("before/" + "0".repeat(DIGITS - digits.length()) + digits);
  }

  /** The key of the row that a client puts as the {@code number}th of an operation. */
  PrimaryKey own(int client, long operation, int number) {
    return key("client/" + client + '/' + operation + '/' + number);
  }

  private static PrimaryKey key(String id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  /** What a row has in its column; two letters make two texts. */
  ColumnValue value(char letter) {
    return ColumnValue.fromString(String.valueOf(letter).repeat(bytes));
  }

  /** The put of a row. */
  RowPutChange put(PrimaryKey key) {
    return new RowPutChange(key, List.of(new Column(COLUMN, value('p'))));
  }
}
