package io.tunnel.programs.demo;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.function.LongSupplier;

/** Enters everything that it is given into the ledger; shared by all channels. */
record DemoProcessor(DemoLedger ledger, LongSupplier nanoClock) implements IChannelProcessor {

  @Override
  public void process(ProcessRecordsInput input) {
    ledger.arrived(input, nanoClock.getAsLong());
  }

  @Override
  public void shutdown() {}
}
