package io.tunnel.perf;

import java.util.concurrent.atomic.AtomicLong;

/** Rows that a run may still count, shared by all its channels. Safe for use by many threads. */
final class RowQuota {

  /** Never below 0. */
  private final AtomicLong left;

  RowQuota(long rows) {
    left = new AtomicLong(rows);
  }

  /** Takes up to {@code rows}, and says how many it got. */
  int take(int rows) {
    long before = left.getAndUpdate(now -> now - Math.min(now, rows));
    return (int) Math.min(before, rows);
  }
}
