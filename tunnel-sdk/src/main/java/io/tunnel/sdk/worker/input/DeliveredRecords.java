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
 * The records of some deliveries. Their number comes from the batches' headers. The first iterator
 * makes each record just before it is looked at, so that a row's bytes come into the processor's
 * cache once and not twice; all are made when one is asked for by its index.
 */
public final class DeliveredRecords extends AbstractList<StreamRecord> implements RandomAccess {

  private final List<Delivery> deliveries;
  private final KeyDecoder keys;
  private final int size;

  /** Made once; two threads that race for it make equal ones. */
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

  /** Makes the records in order, and leaves them to others when it has made the last. */
  private final class Making implements Iterator<StreamRecord> {

    private final StreamRecord[] made = new StreamRecord[size];

    /** How many are made. */
    private int count;

    /** Deliveries that were begun. */
    private int begun;

    private Iterator<ChangeBatch> batches = Collections.emptyIterator();

    /** In the batch that was begun last; null before the first. */
    private RowCursor row;

    /** Rows of that batch that are left. */
    private int left;

    /** Of the next row. */
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
      // A batch has as many rows as its header says, or the cursor throws.
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
