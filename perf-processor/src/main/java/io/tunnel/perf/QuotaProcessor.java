package io.tunnel.perf;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Counts the rows of one channel as long as the run's quota lasts. The row that uses it up may lie
 * inside an input: what is behind it is neither counted nor checkpointed, so that the next run
 * begins with it.
 */
final class QuotaProcessor implements IChannelProcessor {

  /** A crash repeats what was counted since the last checkpoint, as with the SDK's own. */
  private static final long CHECKPOINT_NANOS = 5_000_000_000L;

  private final PerfProcessor counting;
  private final RowQuota quota;
  private final ICheckpointer checkpointer;
  private final LongSupplier nanos;

  /** When what is counted is checkpointed at the earliest; moves on with each checkpoint. */
  private long dueNanos;

  /** Whether {@link #token} says more than the last checkpoint. */
  private boolean isAhead;

  /** Everything up to it is counted; null for all that the channel was given. */
  private String token;

  /** True from the first row on that was given and not counted. */
  private boolean isCut;

  QuotaProcessor(
      PerfProcessor counting, RowQuota quota, ICheckpointer checkpointer, LongSupplier nanos) {
    this.counting = counting;
    this.quota = quota;
    this.checkpointer = checkpointer;
    this.nanos = nanos;
    this.dueNanos = nanos.getAsLong() + CHECKPOINT_NANOS;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    // Before anything is counted: when it throws, the input comes again.
    if (nanos.getAsLong() - dueNanos >= 0) {
      checkpoint();
    }
    int rows = input.getRecords().size();
    int taken = isCut ? 0 : quota.take(rows);
    isCut = taken < rows;
    if (taken > 0) {
      ProcessRecordsInput counted = isCut ? firstOf(input, taken) : input;
      counting.process(counted);
      token = counted.getNextToken();
      isAhead = true;
    }
  }

  private static ProcessRecordsInput firstOf(ProcessRecordsInput input, int rows) {
    List<StreamRecord> records = input.getRecords().subList(0, rows);
    StreamRecord last = records.get(rows - 1);
    long bytes = records.stream().mapToLong(StreamRecord::byteCount).sum();
    return new ProcessRecordsInput(
        records,
        Long.toString(last.position()),
        input.getTraceId(),
        input.getChannelId(),
        new ProcessRecordsInput.Extent(input.firstCommitMicros(), last.commitMicros(), bytes),
        input.channelType());
  }

  private void checkpoint() {
    if (isAhead) {
      checkpointer.checkpoint(token);
      isAhead = false;
    }
    dueNanos = nanos.getAsLong() + CHECKPOINT_NANOS;
  }

  @Override
  public void closing(String channelId) {
    checkpoint();
  }

  @Override
  public void ended(String channelId) {
    if (isCut) {
      checkpoint();
    } else {
      checkpointer.checkpoint(null);
    }
  }

  @Override
  public void shutdown() {}
}
