package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

final class WriteBatchSinkTest {

  static {
    RocksLibrary.load();
  }

  @ParameterizedTest(name = "{0} records")
  @ValueSource(ints = {0, 1, 7, 300, 70_000})
  void theBytesAreThoseOfRocksDbsOwnBatch(int records) throws RocksDBException {
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
    switch (random.nextInt(3)) {
      case 0 -> {
        sink.deleteRow(7, array, 20, keyBytes);
        expected.delete(key);
      }
      case 1 -> {
        sink.put(key, columns);
        expected.put(key, columns);
      }
      default -> {
        // A dictionary of two bytes as a varint.
        sink.putRow(7, array, 20, keyBytes, 300, 100, columns.length);
        byte[] value = new byte[2 + columns.length];
        value[0] = (byte) 0xac;
        value[1] = 2;
        System.arraycopy(columns, 0, value, 2, columns.length);
        expected.put(key, value);
      }
    }
  }
}
