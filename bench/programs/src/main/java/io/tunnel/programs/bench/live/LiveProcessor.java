package io.tunnel.programs.bench.live;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.concurrent.atomic.LongAdder;

/** Follows a {@link LiveWriter}, and tells when it saw which row. */
public final class LiveProcessor implements IChannelProcessor {

  private final Journeys journeys;
  private final LongAdder rows = new LongAdder();

  /** Has seen nothing. */
  public LiveProcessor(Journeys journeys) {
    this.journeys = journeys;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    for (StreamRecord record : input.getRecords()) {
      journeys.seen(record.value("amount").orElseThrow().asLong());
    }
    rows.add(input.getRecords().size());
  }

  /** Rows that were seen. */
  public long rows() {
    return rows.sum();
  }

  @Override
  public void shutdown() {}
}
