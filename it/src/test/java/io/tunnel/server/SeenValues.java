package io.tunnel.server;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Set;
import java.util.TreeSet;

/** Keeps the value of each change. */
final class SeenValues implements IChannelProcessor {

  private final Set<Long> seen = new TreeSet<>();

  @Override
  public synchronized void process(ProcessRecordsInput input) {
    for (StreamRecord record : input.getRecords()) {
      seen.add(record.value("v").orElseThrow().asLong());
    }
  }

  synchronized Set<Long> seen() {
    return Set.copyOf(seen);
  }

  @Override
  public void shutdown() {
    // Nothing is held.
  }
}
