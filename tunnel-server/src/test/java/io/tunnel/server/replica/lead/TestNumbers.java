package io.tunnel.server.replica.lead;

import io.tunnel.server.partition.judge.Writers;
import java.util.Map;

/** What is known of writers where no test has any that number. */
final class TestNumbers {

  private TestNumbers() {}

  static NumberedBatches of(int partition) {
    return new NumberedBatches(partition, new Writers(Map.of()), new Timeless());
  }

  private record Timeless() implements NumberedBatches.Port {

    @Override
    public long retentionMicros(int partition) {
      return Long.MAX_VALUE;
    }

    @Override
    public long epochMicros() {
      return 0;
    }
  }
}
