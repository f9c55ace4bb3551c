package io.tunnel.server.metrics;

import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How old the oldest change of each delivery was when it was sent, counted in buckets whose bounds
 * grow by a fifth. For any thread.
 */
public final class DeliveryAges {

  /** Upper bound of the first bucket, in microseconds. */
  private static final double FIRST_MICROS = 10;

  private static final double GROWTH = 1.2;
  private static final double LOG_OF_GROWTH = Math.log(GROWTH);

  /** The last bucket begins at about 12 days; older changes are counted there. */
  private static final int BUCKETS = 140;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

  /** Counts a delivery; a negative age, of a clock that went back, counts as none. */
  void add(long micros) {
    counts.incrementAndGet(bucket(micros));
  }

  private static int bucket(long micros) {
    if (micros <= FIRST_MICROS) {
      return 0;
    }
    int bucket = (int) Math.ceil(Math.log(micros / FIRST_MICROS) / LOG_OF_GROWTH);
    return Math.min(bucket, BUCKETS - 1);
  }

  /** The counts since the start. */
  public Counts counts() {
    long[] now = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      now[i] = counts.get(i);
    }
    return new Counts(now);
  }

  /** Counts at one moment. Never changes. */
  public static final class Counts {

    private final long[] buckets;

    private Counts(long[] buckets) {
      this.buckets = buckets;
    }

    /** No deliveries. */
    public static Counts none() {
      return new Counts(new long[BUCKETS]);
    }

    /**
     * The age in milliseconds under which that share of the deliveries since {@code earlier} were;
     * at most a fifth too high. Empty without deliveries.
     *
     * @param share 0 to 1
     */
    public OptionalDouble percentileMs(Counts earlier, double share) {
      long all = 0;
      for (int i = 0; i < BUCKETS; i++) {
        all += buckets[i] - earlier.buckets[i];
      }
      if (all <= 0) {
        return OptionalDouble.empty();
      }
      long wanted = Math.max(1, (long) Math.ceil(all * share));
      int bucket = -1;
      for (long seen = 0; seen < wanted; ) {
        bucket++;
        seen += buckets[bucket] - earlier.buckets[bucket];
      }
      return OptionalDouble.of(FIRST_MICROS * Math.pow(GROWTH, bucket) / 1_000);
    }
  }
}
