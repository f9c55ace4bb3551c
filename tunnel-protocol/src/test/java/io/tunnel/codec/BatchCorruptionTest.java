package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that changed on their way, and bytes that somebody meant to be a batch. Whatever the
 * validator accepts must be readable, because behind it nobody checks again.
 */
class BatchCorruptionTest {

  private final RandomRows random = new RandomRows(11);
  private final List<PrimaryKeySchema> schema = random.schema();
  private final byte[] batch = build(random.rows(schema, 4));

  @Test
  void every_flipped_bit_is_noticed() {
    for (int bit = 0; bit < 8 * batch.length; bit++) {
      byte[] flipped = flip(batch, bit);
      assertThatExceptionOfType(MalformedException.class)
          .as("bit %d", bit)
          .isThrownBy(() -> ChangeBatch.parse(flipped, 0, flipped.length));
      assertThat(ChangeBatch.isIntact(ByteBuffer.wrap(flipped))).as("bit %d", bit).isFalse();
    }
    assertThat(ChangeBatch.isIntact(ByteBuffer.wrap(batch))).isTrue();
  }

  @Test
  void what_is_wrong_with_a_batch_has_its_error_code() {
    byte[] changed = flip(batch, 8 * (batch.length - 1));
    assertThat(refusalOf(changed)).isEqualTo(ErrorCode.CORRUPT);
    byte[] tooLong = batch.clone();
    Binary.putInt(tooLong, BatchLayout.LENGTH, Limits.BATCH_BYTES_MAX - 3);
    assertThat(refusalOf(tooLong)).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
    byte[] rows = batch.clone();
    Binary.putInt(rows, BatchLayout.ROW_COUNT, Limits.BATCH_ROWS_MAX + 1);
    assertThat(refusalOf(seal(rows))).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
    byte[] attributes = batch.clone();
    attributes[BatchLayout.ATTRIBUTES] = (byte) 0x85;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> ChangeBatch.parse(seal(attributes), 0, attributes.length))
        .withMessageStartingWith(
            "a batch with the attributes bit 2, bit 7, which this build does not know");
    byte[] format = batch.clone();
    format[BatchLayout.FORMAT] = 2;
    assertThat(refusalOf(seal(format))).isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  private static ErrorCode refusalOf(byte[] bytes) {
    try {
      throw new AssertionError("accepted: " + ChangeBatch.parse(bytes, 0, bytes.length));
    } catch (MalformedException e) {
      return e.code();
    }
  }

  @Test
  void a_batch_cut_short_is_refused_wherever_it_is_cut() {
    for (int length = 0; length < batch.length; length++) {
      byte[] cut = Arrays.copyOf(batch, length);
      assertThatExceptionOfType(MalformedException.class)
          .as("%d of %d bytes", length, batch.length)
          .isThrownBy(() -> ChangeBatch.parse(cut, 0, cut.length));
      assertThat(ChangeBatch.isIntact(ByteBuffer.wrap(cut))).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24, 25, 26})
  void a_flipped_bit_under_a_right_checksum_is_read_or_refused(long seed) {
    RandomRows rows = new RandomRows(seed);
    List<PrimaryKeySchema> keys = rows.schema();
    byte[] bytes = build(keys, rows.rows(keys, 6));
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      assertReadOrRefused(seal(flip(bytes, bit)), keys);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32, 33, 34, 35, 36})
  void a_cut_under_a_right_checksum_is_read_or_refused(long seed) {
    RandomRows rows = new RandomRows(seed);
    List<PrimaryKeySchema> keys = rows.schema();
    byte[] bytes = build(keys, rows.rows(keys, 20));
    for (int length = ChangeBatch.HEADER_BYTES_MIN; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      Binary.putInt(cut, BatchLayout.LENGTH, length - 4);
      assertReadOrRefused(seal(cut), keys);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43})
  void garbage_under_a_right_checksum_is_read_or_refused(long seed) {
    Random chance = new Random(seed);
    RandomRows rows = new RandomRows(seed);
    List<PrimaryKeySchema> keys = rows.schema();
    for (int round = 0; round < 3_000; round++) {
      byte[] bytes = build(keys, rows.rows(keys, 1 + chance.nextInt(4)));
      for (int changes = 1 + chance.nextInt(4); changes > 0; changes--) {
        int at = BatchLayout.ATTRIBUTES + chance.nextInt(bytes.length - BatchLayout.ATTRIBUTES);
        bytes[at] = (byte) chance.nextInt();
      }
      assertReadOrRefused(seal(bytes), keys);
    }
  }

  private static void assertReadOrRefused(byte[] bytes, List<PrimaryKeySchema> schema) {
    ChangeBatch parsed;
    try {
      parsed = ChangeBatch.parse(bytes, 0, bytes.length);
    } catch (MalformedException e) {
      assertThat(e).hasMessageContaining("a batch");
      return;
    }
    boolean valid = isValid(parsed, schema);
    try {
      List<RowChange> rows = DecodedBatch.rows(parsed, schema);
      assertThat(rows).hasSize(parsed.rowCount());
      if (valid) {
        assertEncodable(rows, schema);
      }
    } catch (MalformedException e) {
      assertThat(valid).as("accepted, then unreadable: %s", e).isFalse();
    } catch (IllegalArgumentException e) {
      // The model refuses what only the validator checks: a row named twice, an empty update.
      assertThat(valid).as("accepted, then no row: %s", e).isFalse();
    }
  }

  private static boolean isValid(ChangeBatch batch, List<PrimaryKeySchema> schema) {
    try {
      new BatchValidator(schema).require(batch, Bytes.EMPTY, Bytes.EMPTY);
      return true;
    } catch (RefusedException e) {
      assertThat(e.code())
          .isIn(
              Set.of(
                  ErrorCode.INVALID_REQUEST,
                  ErrorCode.KEY_MISMATCH,
                  ErrorCode.ROW_TOO_LARGE,
                  ErrorCode.BATCH_TOO_LARGE));
      assertThat(e).hasMessageMatching("(?s).{10,}");
      return false;
    }
  }

  /** A batch that is accepted says nothing that a builder could not have said. */
  private static void assertEncodable(List<RowChange> rows, List<PrimaryKeySchema> schema) {
    byte[] again = build(schema, rows);
    ChangeBatch reread = ChangeBatch.parse(again, 0, again.length);
    assertThat(DecodedBatch.rows(reread, schema)).isEqualTo(rows);
  }

  private byte[] build(List<RowChange> rows) {
    return build(schema, rows);
  }

  private static byte[] build(List<PrimaryKeySchema> schema, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(schema, 0);
    for (RowChange row : rows) {
      builder.add(row);
    }
    return builder.build(3, 17, 1_700_000_000_000_000L);
  }

  private static byte[] flip(byte[] bytes, int bit) {
    byte[] flipped = bytes.clone();
    flipped[bit / 8] ^= (byte) (1 << bit % 8);
    return flipped;
  }

  /** Gives bytes the checksum that their length field asks for, where it can be computed. */
  private static byte[] seal(byte[] bytes) {
    int length = Binary.getInt(bytes, BatchLayout.LENGTH);
    if (length >= ChangeBatch.HEADER_BYTES_MIN - 4 && length <= bytes.length - 4) {
      BatchBuilder.stamp(
          bytes,
          0,
          Binary.getLong(bytes, BatchLayout.BASE_POSITION),
          Binary.getLong(bytes, BatchLayout.COMMIT_MICROS));
    }
    return bytes;
  }
}
