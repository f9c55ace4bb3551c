package io.tunnel.sdk.fake;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/** The changes of a channel, in batches; the column v of each change is its position. */
final class FakeLog {

  private final int partition;
  private final List<ChangeBatch> batches = new ArrayList<>();

  FakeLog(int partition) {
    this.partition = partition;
  }

  /** Appends a batch of rows at a position; {@code idOf} gives the id of the row of an index. */
  void append(int rows, long base, IntToLongFunction idOf) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64 * rows);
    for (int i = 0; i < rows; i++) {
      builder.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", idOf.applyAsLong(i)).build(),
              List.of(new Column("v", ColumnValue.fromLong(base + i)))));
    }
    byte[] batch = builder.build(partition, base, 1_000_000 + base);
    batches.add(ChangeBatch.parse(batch, 0, batch.length));
  }

  /** The last position; 0 of none. */
  long last() {
    return batches.isEmpty() ? 0 : batches.get(batches.size() - 1).lastPosition();
  }

  List<ChangeBatch> batches() {
    return batches;
  }

  /** The first batch that has anything behind a position. */
  Optional<ChangeBatch> behind(long position) {
    return batches.stream().filter(batch -> batch.lastPosition() > position).findFirst();
  }

  /** The positions of all changes. */
  List<Long> positions() {
    List<Long> positions = new ArrayList<>();
    for (ChangeBatch batch : batches) {
      for (long at = batch.basePosition(); at <= batch.lastPosition(); at++) {
        positions.add(at);
      }
    }
    return positions;
  }

  /** The payload that delivers a batch from {@code first} on. */
  static byte[] delivery(int handle, long epoch, long first, ChangeBatch batch) {
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.byteCount()];
    Delivery.writePrefix(payload, 0, handle, epoch, first);
    System.arraycopy(
        batch.array(), batch.offset(), payload, Delivery.PREFIX_BYTES, batch.byteCount());
    return payload;
  }
}
