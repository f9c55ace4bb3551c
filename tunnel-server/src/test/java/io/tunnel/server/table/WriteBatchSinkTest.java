package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.rocks.RocksLibrary;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

final class WriteBatchSinkTest {

  private static final Column COLUMN = new Column("c", ColumnValue.fromLong(7));
  private static final ColumnUpdate UPDATE = new ColumnUpdate.Put("c", ColumnValue.fromLong(7));

  static {
    RocksLibrary.load();
  }

  @ParameterizedTest(name = "{0} records")
  @ValueSource(ints = {0, 1, 7, 300, 70_000})
  void the_bytes_are_those_of_rocks_dbs_own_batch(int records) throws RocksDBException {
    Random random = new Random(records);
    WriteBatchSink sink = new WriteBatchSink();
    sink.put(new byte[] {1}, new byte[] {2});
    sink.clear();
    try (WriteBatch expected = new WriteBatch()) {
      for (int i = 0; i < records; i++) {
        add(random, sink, expected);
      }
      assertThat(sink.toByteArray()).isEqualTo(expected.data());
    }
  }

  private static void add(Random random, WriteBatchSink sink, WriteBatch expected)
      throws RocksDBException {
    byte[] array = new byte[random.nextInt(50) == 0 ? 20_000 : 300];
    random.nextBytes(array);
    int keyBytes = random.nextInt(200);
    byte[] key = StoreFormat.rowKey(7, array, 20, keyBytes);
    byte[] columns = Arrays.copyOfRange(array, 100, array.length);
    switch (random.nextInt(6)) {
      case 5 -> {
        sink.deleteRange(key, columns);
        expected.deleteRange(key, columns);
      }
      case 0 -> {
        sink.deleteRow(7, array, 20, keyBytes);
        expected.delete(key);
      }
      case 1 -> {
        sink.put(key, columns);
        expected.put(key, columns);
      }
      case 2 -> {
        sink.merge(key, columns);
        expected.merge(key, columns);
      }
      case 3 -> {
        RowCursor row = row(put("k" + random.nextInt(), COLUMN));
        sink.writeRow(row, 300);
        expected.put(rowKey(row), part(row));
      }
      default -> {
        RowCursor row = row(new RowUpdateChange(key("k" + random.nextInt()), List.of(UPDATE)));
        sink.writeRow(row, 300);
        expected.merge(rowKey(row), part(row));
      }
    }
  }

  private static RowCursor row(RowChange change) {
    RowCursor row = batch(7, change).rows();
    assertThat(row.next()).isTrue();
    return row;
  }

  private static byte[] rowKey(RowCursor row) {
    return StoreFormat.rowKey(7, row.batch().array(), row.keyOffset(), row.keyBytes());
  }

  /** The commit time, then the number 300, which takes two bytes as a varint. */
  private static byte[] part(RowCursor row) {
    byte[] part = new byte[10 + row.columnsBytes()];
    Binary.putLong(part, 0, row.batch().commitMicros());
    part[8] = (byte) 0xac;
    part[9] = 2;
    System.arraycopy(row.batch().array(), row.columnsOffset(), part, 10, row.columnsBytes());
    return part;
  }
}
