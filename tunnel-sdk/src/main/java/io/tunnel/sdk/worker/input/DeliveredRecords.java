package io.tunnel.sdk.worker.input;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Delivery;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The records of some deliveries. Their number comes from the batches' headers; the records are
 * made when the first is asked for.
 */
public final class DeliveredRecords extends AbstractList<StreamRecord> implements RandomAccess {

  private final List<Delivery> deliveries;
  private final List<PrimaryKeySchema> schema;
  private final int size;

  /** Made once; two threads that race for it make equal ones. */
  private volatile StreamRecord[] records;

  public DeliveredRecords(List<Delivery> deliveries, List<PrimaryKeySchema> schema) {
    this.deliveries = deliveries;
    this.schema = schema;
    int rows = 0;
    for (Delivery delivery : deliveries) {
      rows += rowsOf(delivery);
    }
    this.size = rows;
  }

  /**
   * Rows that a delivery has, without those of its first batch that come before its first position.
   *
   * @throws IllegalStateException when the whole first batch comes before its first position
   */
  public static int rowsOf(Delivery delivery) {
    long rows = -skippedRows(delivery);
    for (ChangeBatch batch : delivery.batches()) {
      rows += batch.rowCount();
    }
    return Math.toIntExact(rows);
  }

  /** None when it begins behind its first position: not every position is that of a change. */
  private static int skippedRows(Delivery delivery) {
    ChangeBatch first = delivery.batches().get(0);
    long skipped = delivery.firstPosition() - first.basePosition();
    if (skipped >= first.rowCount()) {
      throw new IllegalStateException(
          "a delivery from position "
              + delivery.firstPosition()
              + " begins with a batch of positions "
              + first.basePosition()
              + " to "
              + first.lastPosition());
    }
    return (int) Math.max(0, skipped);
  }

  /** Bytes of the records; only those that are skipped are looked at. */
  long byteCount() {
    long bytes = 0;
    for (Delivery delivery : deliveries) {
      for (ChangeBatch batch : delivery.batches()) {
        bytes += batch.rowsBytes();
      }
      RowCursor skipped = delivery.batches().get(0).rows();
      for (int i = skippedRows(delivery); i > 0 && skipped.next(); i--) {
        bytes -= skipped.rowEnd() - skipped.rowOffset();
      }
    }
    return bytes;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public StreamRecord get(int index) {
    Objects.checkIndex(index, size);
    StreamRecord[] made = records;
    if (made == null) {
      made = make();
      records = made;
    }
    return made[index];
  }

  private StreamRecord[] make() {
    StreamRecord[] made = new StreamRecord[size];
    int at = 0;
    for (Delivery delivery : deliveries) {
      int skip = skippedRows(delivery);
      for (ChangeBatch batch : delivery.batches()) {
        RowCursor row = batch.rows();
        long position = batch.basePosition();
        while (row.next()) {
          if (skip > 0) {
            skip--;
          } else {
            made[at++] = new StreamRecord(batch, row.rowOffset(), position, schema);
          }
          position++;
        }
      }
    }
    return made;
  }
}
