package io.tunnel.bench.codec;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rows shaped as the whitepaper's: about 220 bytes encoded, 4 key columns of which the first is a
 * 4-byte hash, 2 attributes. Every run has these rows.
 */
final class WhitepaperRows {

  /** Rows of one batch: 1,000 of them have about as many bytes as a batch of the writer. */
  static final int COUNT = 1_000;

  /** Rows of a batch that a writer closes: the last of them brings it over 256 KiB. */
  static final int FULL_COUNT = 1_225;

  static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("device", PrimaryKeyType.STRING),
          new PrimaryKeySchema("sequence", PrimaryKeyType.INTEGER));

  private static final int BATCH_BYTES = 256 * 1024;
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

  private final SplittableRandom random = new SplittableRandom(7);

  private WhitepaperRows() {}

  static List<RowChange> rows() {
    return rows(COUNT);
  }

  private static List<RowChange> rows(int count) {
    WhitepaperRows source = new WhitepaperRows();
    List<RowChange> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(source.row(i));
    }
    return rows;
  }

  static byte[] batch() {
    return batch(rows());
  }

  /**
   * Full batches of a partition, each with rows of its own.
   *
   * @param updatesPercent so many of a hundred rows set one column of a row that a batch has put
   */
  static List<byte[]> fullBatches(int partition, int count, int updatesPercent) {
    WhitepaperRows source = new WhitepaperRows();
    List<byte[]> batches = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      BatchBuilder batch = new BatchBuilder(SCHEMA, BATCH_BYTES);
      for (int sequence = 0; sequence < FULL_COUNT; sequence++) {
        RowPutChange row = source.row(sequence);
        batch.add(source.random.nextInt(100) < updatesPercent ? update(row) : row);
      }
      batches.add(batch.build(partition, 1, 1));
    }
    return batches;
  }

  private static RowChange update(RowPutChange row) {
    Column amount = row.columns().get(1);
    return new RowUpdateChange(
        row.primaryKey(), List.of(new ColumnUpdate.Put(amount.getName(), amount.getValue())));
  }

  static byte[] fullBatch() {
    byte[] batch = batch(rows(FULL_COUNT));
    int bytesOver = batch.length - BATCH_BYTES;
    if (bytesOver < 0 || bytesOver > batch.length / FULL_COUNT) {
      throw new IllegalStateException("a batch of " + batch.length + " bytes is no full one");
    }
    return batch;
  }

  private static byte[] batch(List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, BATCH_BYTES);
    for (RowChange row : rows) {
      builder.add(row);
    }
    return builder.build(1, 1, 1);
  }

  private RowPutChange row(int sequence) {
    byte[] hash = new byte[4];
    random.nextBytes(hash);
    PrimaryKey key =
        PrimaryKey.builder()
            .add("hash", hash)
            .add("user", text(24))
            .add("device", text(16))
            .add("sequence", sequence)
            .build();
    return new RowPutChange(
        key,
        List.of(
            new Column("payload", ColumnValue.fromString(text(136))),
            new Column("amount", ColumnValue.fromLong(random.nextLong()))));
  }

  private String text(int letters) {
    StringBuilder text = new StringBuilder(letters);
    for (int i = 0; i < letters; i++) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return text.toString();
  }
}
