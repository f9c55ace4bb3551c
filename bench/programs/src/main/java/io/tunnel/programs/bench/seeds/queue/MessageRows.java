package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Messages of one sender as changes of rows. For one thread. */
final class MessageRows {

  /** A column beside the key, whose decoding takes longer. */
  private static final String FROM = "from";

  private static final String NUMBER = "number";
  private static final String SENT = "sent";

  /** Bytes of the rows of all senders in one partition, about. */
  private static final long TABLE_BYTES_MAX = 64L << 20;

  private static final long SLOTS_MAX = 1_024;

  /** More than a transaction has messages, which must be of different rows. */
  private static final long SLOTS_MIN = 8;

  private final int sender;
  private final int lanes;
  private final long slots;
  private final Column body;

  /**
   * Rows of a sender.
   *
   * @param lanes partitions of the table, which the sender takes in turn
   */
  MessageRows(MessageCase what, int sender, int lanes) {
    this.sender = sender;
    this.lanes = lanes;
    long fit = TABLE_BYTES_MAX / ((long) what.bytes() * what.senders());
    this.slots = Math.max(SLOTS_MIN, Math.min(SLOTS_MAX, fit));
    byte[] filled = new byte[what.bytes() - MessageHeader.BYTES];
    Arrays.fill(filled, (byte) 'x');
    this.body = new Column("body", ColumnValue.fromBinary(filled));
  }

  /** Messages of one partition. */
  List<RowChange> of(long first, int count, long sentNanos) {
    List<RowChange> rows = new ArrayList<>(count);
    long lane = (sender + first / count) % lanes;
    for (long number = first; number < first + count; number++) {
      PrimaryKey key =
          PrimaryKey.builder()
              .add("lane", lane)
              .add("sender", sender)
              .add("slot", number % slots)
              .build();
      rows.add(
          new RowPutChange(
              key,
              List.of(
                  new Column(FROM, ColumnValue.fromLong(sender)),
                  new Column(NUMBER, ColumnValue.fromLong(number)),
                  new Column(SENT, ColumnValue.fromLong(sentNanos)),
                  body)));
    }
    return rows;
  }

  /** What a change says. */
  static MessageHeader header(StreamRecord change) {
    return new MessageHeader(
        (int) change.value(FROM).orElseThrow().asLong(),
        change.value(NUMBER).orElseThrow().asLong(),
        change.value(SENT).orElseThrow().asLong());
  }
}
