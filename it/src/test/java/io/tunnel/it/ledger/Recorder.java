package io.tunnel.it.ledger;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.ArrayList;
import java.util.List;

/** A processor in the tests' own JVM that keeps what it is given. */
public final class Recorder implements IChannelProcessor {

  private final List<Seen> seen = new ArrayList<>();
  private int shutdowns;

  @Override
  public synchronized void process(ProcessRecordsInput input) {
    seen.addAll(Seen.of(input));
  }

  @Override
  public synchronized void shutdown() {
    shutdowns++;
  }

  public synchronized int shutdowns() {
    return shutdowns;
  }

  public synchronized int count() {
    return seen.size();
  }

  public synchronized List<Seen> seen() {
    return List.copyOf(seen);
  }
}
