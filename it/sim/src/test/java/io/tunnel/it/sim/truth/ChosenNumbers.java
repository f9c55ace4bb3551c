package io.tunnel.it.sim.truth;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.WriteRequest;
import java.util.OptionalLong;

/**
 * The numbers of the column that the server numbers, in the changes of one partition. A row whose
 * number the server chose has the column {@link #ASKED}, which nobody writes to other rows.
 */
public final class ChosenNumbers {

  /** Names a column that programs write to rows for which the server chooses a number. */
  public static final String ASKED = "asked";

  /** No row of a world has such a number. */
  private static final long BEYOND_ALL = 1L << 40;

  private long largest;

  /** Has seen no change. */
  public ChosenNumbers() {}

  /** Takes the next change of the partition: a chosen number is above all numbers before it. */
  public void require(int partition, StreamRecord record) {
    if (record.getPrimaryKey().size() < RowFold.AUTO_SCHEMA.size()) {
      return;
    }
    long number = record.getPrimaryKey().getPrimaryKeyColumn("n").getValue().asLong();
    boolean isChosen = record.getColumns().stream().anyMatch(column -> column.name().equals(ASKED));
    Invariant.CHOSEN_NUMBERS_RISE.require(
        !isChosen || number > largest,
        "partition %d: the server chose the number of %s, and %d was there before",
        partition,
        record,
        largest);
    largest = Math.max(largest, number);
  }

  /** The largest number so far, of rows that are there and of others; 0 at first. */
  public long largest() {
    return largest;
  }

  /** What was read is read again. */
  void clear() {
    largest = 0;
  }

  /**
   * A write with the numbers that its rows have in the log: consecutive ones, above the numbers
   * that the batch names. Where the server chose none, each row has a number that is nowhere.
   *
   * @param first what the server says of the first row that asked
   */
  public static WriteRequest chosen(WriteRequest write, OptionalLong first) {
    if (!AutoNumbers.areAsked(write.batch())) {
      return write;
    }
    AutoNumbers.Numbered numbered =
        AutoNumbers.of(RowFold.AUTO_SCHEMA)
            .orElseThrow()
            .number(write.batch(), first.orElse(BEYOND_ALL) - 1)
            .orElseThrow();
    Invariant.CHOSEN_NUMBERS_RISE.require(
        first.isEmpty() || first.getAsLong() == numbered.first(),
        "a batch is numbered from %s on, and names numbers below %d",
        first,
        numbered.first());
    return new WriteRequest(write.tableId(), write.durability(), numbered.batch());
  }
}
