package io.tunnel.programs.demo;

import io.tunnel.model.RowChange;
import io.tunnel.stress.rows.RowSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * When rows were given to the writer, of one row in {@value #SAMPLED_ROWS}: what a callback waited
 * for since then includes all that the writer does, and can be told however early the callback is.
 */
final class SentTimes {

  static final int SAMPLED_ROWS = 64;

  /** Rows on their way at most; more are not sampled. */
  static final int ENTRIES_MAX = 65_536;

  /** The time of a row that is none of the sample. */
  static final long NOT_SAMPLED = Long.MIN_VALUE;

  private final ConcurrentHashMap<Long, Long> nanosByFingerprint = new ConcurrentHashMap<>();
  private final AtomicLong rows = new AtomicLong();

  /** The rows of {@code source}, whose times are taken when they are asked for. */
  RowSource of(RowSource source, LongSupplier nanoClock) {
    return new RowSource() {
      @Override
      public RowChange next() {
        RowChange row = source.next();
        if (row != null) {
          sent(row, nanoClock);
        }
        return row;
      }

      @Override
      public void refused(IllegalArgumentException why) {
        source.refused(why);
      }
    };
  }

  private void sent(RowChange row, LongSupplier nanoClock) {
    if (rows.getAndIncrement() % SAMPLED_ROWS == 0 && nanosByFingerprint.size() < ENTRIES_MAX) {
      long fingerprint = Fingerprint.of(row, Fingerprint.ofKey(row.primaryKey()));
      // Of equal rows on their way the first counts.
      nanosByFingerprint.putIfAbsent(fingerprint, nanoClock.getAsLong());
    }
  }

  /** When the row was given, once; or {@link #NOT_SAMPLED}. */
  long take(long fingerprint) {
    Long nanos = nanosByFingerprint.isEmpty() ? null : nanosByFingerprint.remove(fingerprint);
    return nanos == null ? NOT_SAMPLED : nanos;
  }
}
