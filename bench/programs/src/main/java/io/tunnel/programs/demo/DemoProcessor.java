package io.tunnel.programs.demo;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.function.LongSupplier;

/** Enters every change into the ledger; all channels share this processor. */
record DemoProcessor(DemoLedger ledger, LongSupplier nanoClock) implements IChannelProcessor {

  @Override
  public void process(ProcessRecordsInput input) {
    ledger.arrived(input, nanoClock.getAsLong());
  }

  @Override
  public void shutdown() {}
}
