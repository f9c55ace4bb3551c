package io.tunnel.codec;

import io.tunnel.model.PrimaryKeySchema;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The numbers of the AUTO column in the keys of a batch. The rows of a batch that ask for a number
 * get consecutive ones in their order, above all numbers that rows of the batch name. So the first
 * number says all of them, also those of a batch that is repeated.
 */
public final class AutoNumbers {

  private final List<PrimaryKeySchema> schema;
  private final int place;

  private AutoNumbers(List<PrimaryKeySchema> schema, int place) {
    this.schema = schema;
    this.place = place;
  }

  /**
   * A batch whose rows all have numbers.
   *
   * @param first the number of the first row that asked for one
   * @param last the number of the last row that asked for one
   */
  public record Numbered(ChangeBatch batch, long first, long last) {}

  /** Of a table with this key; empty when no column is AUTO. */
  public static Optional<AutoNumbers> of(List<PrimaryKeySchema> schema) {
    OptionalInt place = PrimaryKeySchema.autoPlace(schema);
    return place.isPresent()
        ? Optional.of(new AutoNumbers(schema, place.getAsInt()))
        : Optional.empty();
  }

  /** Whether rows of a batch ask for numbers. */
  public static boolean areAsked(ChangeBatch batch) {
    RowCursor row = batch.rows();
    while (row.next()) {
      if (row.isAuto()) {
        return true;
      }
    }
    return false;
  }

  /** The largest number that rows of a batch name; empty when all ask for one. */
  public OptionalLong largest(ChangeBatch batch) {
    long largest = Long.MIN_VALUE;
    boolean isNamed = false;
    RowCursor row = batch.rows();
    while (row.next()) {
      if (!row.isAuto()) {
        largest = Math.max(largest, KeyCodec.number(batch.array(), offset(row)));
        isNamed = true;
      }
    }
    return isNamed ? OptionalLong.of(largest) : OptionalLong.empty();
  }

  /**
   * A copy of a batch that has numbers where rows ask for them. The rows still say that they asked:
   * {@link RowCursor#attributesToLog} leaves that out.
   *
   * @param before the largest number that the column ever had in the partition
   * @return empty when there are fewer numbers left than rows that ask
   */
  public Optional<Numbered> number(ChangeBatch batch, long before) {
    long base = Math.max(before, largest(batch).orElse(before));
    long next = base;
    ChangeBatch copy = batch.copy();
    RowCursor row = copy.rows();
    while (row.next()) {
      if (row.isAuto()) {
        if (next == Long.MAX_VALUE) {
          return Optional.empty();
        }
        KeyCodec.putNumber(copy.array(), offset(row), ++next);
      }
    }
    return Optional.of(new Numbered(copy, base + 1, next));
  }

  private int offset(RowCursor row) {
    return KeyCodec.numberOffset(
        row.batch().array(), row.keyOffset(), row.keyBytes(), schema, place);
  }
}
