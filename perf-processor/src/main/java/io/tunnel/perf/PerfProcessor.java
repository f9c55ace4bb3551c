package io.tunnel.perf;

import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.RecordColumn;
import io.tunnel.sdk.StreamRecord;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts what it is given; shared by all channels of a process. */
final class PerfProcessor implements IChannelProcessor {

  private final PerfMeter meter;
  private final Cost cost;
  private final Clocks clocks;

  /** So that what was decoded is used, or the JVM would not decode it. */
  private final LongAdder touched = new LongAdder();

  /**
   * What a record costs besides being counted.
   *
   * @param isTouched whether key and columns of each record are decoded
   * @param microsPerRecord time that a thread is busy for each record
   */
  record Cost(boolean isTouched, long microsPerRecord) {}

  /** Time of this machine: of day in microseconds, and running in nanoseconds. */
  record Clocks(LongSupplier epochMicros, LongSupplier nanos) {}

  PerfProcessor(PerfMeter meter, Cost cost, Clocks clocks) {
    this.meter = meter;
    this.cost = cost;
    this.clocks = clocks;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    meter.count(input, clocks.epochMicros().getAsLong());
    if (cost.isTouched()) {
      touch(input.getRecords());
    }
    if (cost.microsPerRecord() > 0) {
      work(input.getRecords().size() * cost.microsPerRecord() * 1_000);
    }
  }

  private void touch(List<StreamRecord> records) {
    long sum = 0;
    for (StreamRecord record : records) {
      List<RecordColumn> columns = record.getColumns();
      sum += record.getPrimaryKey().getPrimaryKeyColumn(0).hashCode();
      sum += columns.isEmpty() ? 0 : columns.get(0).hashCode();
    }
    touched.add(sum);
  }

  private void work(long nanos) {
    long end = clocks.nanos().getAsLong() + nanos;
    while (clocks.nanos().getAsLong() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** What the decoded records add up to; means nothing. */
  long touched() {
    return touched.sum();
  }

  @Override
  public void shutdown() {}
}
