package io.tunnel.perf;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.function.LongSupplier;

/** Counts what it is given; shared by all channels of a process. */
final class PerfProcessor implements IChannelProcessor {

  private final PerfMeter meter;
  private final RecordWork work;
  private final LongSupplier epochMicros;

  /** Counts into {@code meter} by a clock of the time of day, in microseconds. */
  PerfProcessor(PerfMeter meter, RecordWork work, LongSupplier epochMicros) {
    this.meter = meter;
    this.work = work;
    this.epochMicros = epochMicros;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    meter.count(input, epochMicros.getAsLong());
    work.on(input.getRecords());
  }

  @Override
  public void shutdown() {}
}
