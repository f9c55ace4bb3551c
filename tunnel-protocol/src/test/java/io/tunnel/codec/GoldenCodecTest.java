package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys and batches against the bytes that version 1 wrote. */
class GoldenCodecTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("order", PrimaryKeyType.INTEGER));

  private static final List<RowChange> ROWS =
      List.of(
          new RowPutChange(
              key(1),
              List.of(
                  new Column("amount", ColumnValue.fromLong(-2)),
                  new Column("price", ColumnValue.fromDouble(1.5)),
                  new Column("paid", ColumnValue.fromBoolean(true)),
                  new Column("city", ColumnValue.fromString("Köln")),
                  new Column("token", ColumnValue.fromBinary(new byte[] {0, -1}))),
              RowExistenceExpectation.EXPECT_NOT_EXIST),
          new RowUpdateChange(
              key(2),
              List.of(
                  new ColumnUpdate.Put("amount", ColumnValue.fromLong(3)),
                  new ColumnUpdate.Delete("city")),
              RowExistenceExpectation.EXPECT_EXIST),
          new RowDeleteChange(key(3)));

  private static PrimaryKey key(long order) {
    return PrimaryKey.builder()
        .add("hash", new byte[] {0x5a, 0, 0x1f, -1})
        .add("user", "zoë")
        .add("order", order)
        .build();
  }

  private static Stream<Arguments> keyColumns() {
    return Stream.of(
        Arguments.of("v1/key-integer.hex", PrimaryKeyValue.fromLong(-42)),
        Arguments.of("v1/key-string.hex", PrimaryKeyValue.fromString("a\0é😀")),
        Arguments.of("v1/key-binary.hex", PrimaryKeyValue.fromBinary(new byte[] {0, -1, 0, 7})));
  }

  @ParameterizedTest
  @MethodSource("keyColumns")
  void a_key_column_has_the_bytes_of_version_1(String file, PrimaryKeyValue value) {
    Bytes bytes = Bytes.copyOf(GoldenFile.bytes(file));
    assertThat(KeyCodec.encode(value)).isEqualTo(bytes);
    assertThat(KeyCodec.decodeColumn(bytes, value.getType())).isEqualTo(value);
  }

  @Test
  void a_batch_has_the_bytes_of_version_1() {
    byte[] bytes = GoldenFile.bytes("v1/batch.hex");
    BatchBuilder builder = new BatchBuilder(SCHEMA, 0);
    for (RowChange row : ROWS) {
      builder.add(row);
    }
    assertThat(Bytes.copyOf(builder.build(7, 1_000, 1_700_000_000_000_000L)))
        .isEqualTo(Bytes.copyOf(bytes));

    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    assertThat(batch.partition()).isEqualTo(7);
    assertThat(batch.basePosition()).isEqualTo(1_000);
    assertThat(batch.commitMicros()).isEqualTo(1_700_000_000_000_000L);
    assertThat(DecodedBatch.rows(batch, SCHEMA)).isEqualTo(ROWS);
    assertThat(new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY).mustJudge())
        .isTrue();
  }
}
