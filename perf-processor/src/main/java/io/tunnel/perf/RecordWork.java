package io.tunnel.perf;

import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What is done with records besides counting them. Safe for use by many threads. */
public final class RecordWork {

  private final Cost cost;
  private final LongSupplier nanos;

  /** So that what was decoded is used, or the JVM would not decode it. */
  private final LongAdder touched = new LongAdder();

  /**
   * What a record costs besides being counted.
   *
   * @param isTouched whether key and columns of each record are decoded
   * @param microsPerRecord time that a thread is busy for each record
   */
  public record Cost(boolean isTouched, long microsPerRecord) {}

  /** Work by a clock that runs in nanoseconds. */
  public RecordWork(Cost cost, LongSupplier nanos) {
    this.cost = cost;
    this.nanos = nanos;
  }

  /** Does it for all of them. */
  public void on(List<StreamRecord> records) {
    if (cost.isTouched()) {
      long sum = 0;
      for (StreamRecord record : records) {
        sum += touch(record);
      }
      touched.add(sum);
    }
    beBusy(records.size());
  }

  /** Does it for one. */
  public void on(StreamRecord record) {
    if (cost.isTouched()) {
      touched.add(touch(record));
    }
    beBusy(1);
  }

  private static long touch(StreamRecord record) {
    List<RecordColumn> columns = record.getColumns();
    long key = record.getPrimaryKey().getPrimaryKeyColumn(0).hashCode();
    return columns.isEmpty() ? key : key + columns.get(0).hashCode();
  }

  private void beBusy(int records) {
    if (cost.microsPerRecord() == 0) {
      return;
    }
    long end = nanos.getAsLong() + records * cost.microsPerRecord() * 1_000;
    while (nanos.getAsLong() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** What the decoded records add up to; means nothing. */
  long touched() {
    return touched.sum();
  }
}
