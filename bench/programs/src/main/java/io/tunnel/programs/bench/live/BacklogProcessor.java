package io.tunnel.programs.bench.live;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads what was written before a moment, while a {@link LiveWriter} goes on. A channel has no
 * backlog any more when a row of it was written after that moment.
 */
public final class BacklogProcessor implements IChannelProcessor {

  private final long firstNewOrdinal;
  private final int channels;
  private final Set<String> drainedChannels = ConcurrentHashMap.newKeySet();
  private final LongAdder rows = new LongAdder();

  /**
   * Has read nothing.
   *
   * @param firstNewOrdinal rows of lower ordinals are backlog
   * @param channels of the tunnel, each with a new row now and then
   */
  public BacklogProcessor(long firstNewOrdinal, int channels) {
    this.firstNewOrdinal = firstNewOrdinal;
    this.channels = channels;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    List<StreamRecord> records = input.getRecords();
    if (records.isEmpty() || drainedChannels.contains(input.getChannelId())) {
      return;
    }
    rows.add(records.size());
    if (records.get(records.size() - 1).value("amount").orElseThrow().asLong() >= firstNewOrdinal) {
      drainedChannels.add(input.getChannelId());
    }
  }

  /** Whether the backlog of all channels was read. */
  public boolean isDrained() {
    return drainedChannels.size() >= channels;
  }

  /** Rows of the backlog that were read; the last batch of a channel counts as a whole. */
  public long rows() {
    return rows.sum();
  }

  @Override
  public void shutdown() {}
}
