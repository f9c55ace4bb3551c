package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowDeleteChange;
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
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A writer's batch with any bytes under a right checksum: what the validator lets in can be read to
 * its last column by everybody behind it.
 */
@Tag("proof-fuzz")
class BatchesFuzzTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("id", PrimaryKeyType.INTEGER),
          new PrimaryKeySchema("name", PrimaryKeyType.STRING));

  static Stream<Arguments> batches() {
    PrimaryKey key =
        PrimaryKey.of(
            new PrimaryKeyColumn("id", PrimaryKeyValue.fromLong(7)),
            new PrimaryKeyColumn("name", PrimaryKeyValue.fromString("a")));
    BatchBuilder builder = new BatchBuilder(SCHEMA, 4_096);
    builder.add(new RowPutChange(key, List.of(new Column("c", ColumnValue.fromString("text")))));
    builder.add(
        new RowUpdateChange(
            key,
            List.of(
                new ColumnUpdate.Put("d", ColumnValue.fromLong(-1)),
                new ColumnUpdate.Delete("c"))));
    builder.add(new RowDeleteChange(key));
    byte[] plain = builder.build(3, 9, 1_700_000_000_000_000L);
    // What a newer build may say: attribute 1000 of a row, and of the batch.
    Bytes attributes = Bytes.fromHex("e8070101");
    builder.setAttributes(attributes);
    builder.addWithin(4_096, new RowDeleteChange(key), attributes);
    byte[] newer = builder.build(3, 9, 1_700_000_000_000_000L);
    return Stream.of(Arguments.of((Object) plain), Arguments.of((Object) newer));
  }

  @MethodSource("batches")
  @FuzzTest(maxDuration = "")
  void what_is_let_in_can_be_read(byte[] input) {
    byte[] bytes = withChecksum(input.clone());
    ChangeBatch batch;
    try {
      batch = ChangeBatch.parse(bytes, 0, bytes.length);
    } catch (MalformedException e) {
      return;
    }
    boolean isReadable = isReadable(batch);
    try {
      new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY);
    } catch (RefusedException | NewerFormatException e) {
      return;
    }
    assertThat(isReadable).as("a batch that was let in").isTrue();
    RowCursor row = batch.rows();
    while (row.next()) {
      PrimaryKey key = KeyCodec.decode(bytes, row.keyOffset(), row.keyBytes(), SCHEMA);
      assertThat(KeyCodec.encode(key, SCHEMA))
          .isEqualTo(Bytes.copyOf(bytes, row.keyOffset(), row.keyBytes()));
    }
  }

  /** Reads everything; a reader meets {@link MalformedException} and nothing else. */
  private static boolean isReadable(ChangeBatch batch) {
    try {
      RowCursor row = batch.rows();
      while (row.next()) {
        row.kind();
        row.condition();
        ColumnCursor column = row.columns();
        while (column.next()) {
          batch.name(column.nameIndex());
          if (!column.isDelete()) {
            column.value();
          }
        }
      }
      return true;
    } catch (MalformedException e) {
      return false;
    }
  }

  private static byte[] withChecksum(byte[] bytes) {
    if (bytes.length >= BatchLayout.HEADER_BYTES) {
      Binary.putInt(bytes, BatchLayout.LENGTH, bytes.length - 4);
      CRC32C crc = new CRC32C();
      crc.update(bytes, BatchLayout.FORMAT, bytes.length - BatchLayout.FORMAT);
      Binary.putInt(bytes, BatchLayout.CRC, (int) crc.getValue());
    }
    return bytes;
  }
}
