package io.tunnel.sdk.worker.input;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Delivery;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The records of deliveries. The headers of the batches give the number of records. The first
 * iterator makes each record just before its use, so that the bytes of a row enter the processor's
 * cache once and not twice. An access by index makes all records.
 */
public final class DeliveredRecords extends AbstractList<StreamRecord> implements RandomAccess {

  private final List<Delivery> deliveries;
  private final KeyDecoder keys;
  private final int size;

  /** All records, once they are made; racing threads make equal records. */
  private volatile StreamRecord[] records;

  public DeliveredRecords(List<Delivery> deliveries, List<PrimaryKeySchema> schema) {
    this.deliveries = deliveries;
    this.keys = new KeyDecoder(schema);
    int rows = 0;
    for (Delivery delivery : deliveries) {
      rows += rowsOf(delivery);
    }
    this.size = rows;
  }

  /**
   * Number of rows of a delivery, without the rows of its first batch before its first position.
   *
   * @throws IllegalStateException when all rows of the first batch lie before the first position
   */
  public static int rowsOf(Delivery delivery) {
    long rows = -skippedRows(delivery);
    for (ChangeBatch batch : delivery.batches()) {
      rows += batch.rowCount();
    }
    return Math.toIntExact(rows);
  }

  /**
   * 0 when the first batch begins behind the first position, because some positions have no change;
   * and when the batch is atomic: a checkpoint or a seek inside of the batch divides it no more
   * than a callback does.
   */
  private static int skippedRows(Delivery delivery) {
    ChangeBatch first = delivery.batches().get(0);
    if (first.isAtomic()) {
      return 0;
    }
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

  /** Bytes of the records; decodes only the skipped rows. */
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
    Making making = new Making();
    while (making.hasNext()) {
      making.next();
    }
    return making.made;
  }

  @Override
  public Iterator<StreamRecord> iterator() {
    StreamRecord[] made = records;
    return made == null ? new Making() : Arrays.asList(made).iterator();
  }

  /** Makes the records in order, and publishes them after the last record. */
  private final class Making implements Iterator<StreamRecord> {

    private final StreamRecord[] made = new StreamRecord[size];

    /** Number of records made. */
    private int count;

    /** Number of deliveries begun. */
    private int begun;

    private Iterator<ChangeBatch> batches = Collections.emptyIterator();

    /** Cursor in the batch that was begun last; null before the first batch. */
    private RowCursor row;

    /** Rows left in that batch. */
    private int left;

    /** Position of the next row. */
    private long position;

    @Override
    public boolean hasNext() {
      return count < size;
    }

    @Override
    public StreamRecord next() {
      if (count == size) {
        throw new NoSuchElementException("all " + size + " records were given");
      }
      while (left == 0) {
        beginBatch();
      }
      StreamRecord record = new StreamRecord(step(), position - 1, keys);
      made[count++] = record;
      if (left == 0) {
        requireEnd();
      }
      if (count == size) {
        records = made;
      }
      return record;
    }

    private void beginBatch() {
      int skipped = 0;
      if (!batches.hasNext()) {
        Delivery delivery = deliveries.get(begun++);
        batches = delivery.batches().iterator();
        skipped = skippedRows(delivery);
      }
      ChangeBatch batch = batches.next();
      row = batch.rows();
      left = batch.rowCount();
      position = batch.basePosition();
      for (; skipped > 0; skipped--) {
        var unused = step();
      }
      if (left == 0) {
        requireEnd();
      }
    }

    private RowCursor step() {
      // The cursor throws when the batch has fewer rows than its header says.
      var unused = row.next();
      left--;
      position++;
      return row;
    }

    private void requireEnd() {
      var unused = row.next();
    }
  }
}
