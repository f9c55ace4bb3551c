package io.tunnel.programs.bench.live;

import io.tunnel.stress.LoadClock;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The times of every eighth row on its way: due, acknowledged, seen by the reader. Rows are known
 * by their ordinals. A fixed number of slots holds the rows that are under way; a row whose slot is
 * taken by one that is late is not timed, so memory stays bounded while a reader falls behind.
 *
 * <p>A slot belongs to a row from {@link #start} until it was both acknowledged and seen. Both come
 * on threads of their own: the first leaves a mark, the second finds it.
 */
public final class Journeys {

  private static final int EVERY = 8;
  private static final int SLOTS = 1 << 20;
  private static final int DIGITS = 3;
  private static final long FREE = -1;
  private static final long OPEN = 0;
  private static final long SEEN = -1;

  private final LoadClock clock;
  private final long baseNanos;

  /** Ordinal of the row that a slot belongs to, or FREE. */
  private final AtomicLongArray owners = new AtomicLongArray(SLOTS);

  /** When the row was due; written before its owner. */
  private final long[] dueNanos = new long[SLOTS];

  /** OPEN, then when the row was acknowledged, or SEEN when it was seen before. */
  private final AtomicLongArray marks = new AtomicLongArray(SLOTS);

  private final Recorder written = new Recorder(DIGITS);
  private final Recorder delivered = new Recorder(DIGITS);

  /** No row is under way; {@code clock} tells the time. */
  public Journeys(LoadClock clock) {
    this.clock = clock;
    this.baseNanos = clock.nanos() - 1;
    for (int i = 0; i < SLOTS; i++) {
      owners.set(i, FREE);
    }
  }

  /** A row is given to its writer. */
  public void start(long ordinal, long due) {
    if (ordinal % EVERY != 0) {
      return;
    }
    int slot = slot(ordinal);
    if (owners.get(slot) == FREE) {
      dueNanos[slot] = due;
      marks.set(slot, OPEN);
      owners.set(slot, ordinal);
    }
  }

  /** A row was acknowledged. */
  public void acked(long ordinal) {
    int slot = slot(ordinal);
    if (ordinal % EVERY != 0 || owners.get(slot) != ordinal) {
      return;
    }
    long now = clock.nanos();
    written.recordValue(Math.max(0, now - dueNanos[slot]));
    if (!marks.compareAndSet(slot, OPEN, now - baseNanos)) {
      delivered.recordValue(0);
      owners.set(slot, FREE);
    }
  }

  /** A row was given to its processor. */
  public void seen(long ordinal) {
    int slot = slot(ordinal);
    if (ordinal % EVERY != 0 || owners.get(slot) != ordinal) {
      return;
    }
    if (!marks.compareAndSet(slot, OPEN, SEEN)) {
      delivered.recordValue(Math.max(0, clock.nanos() - baseNanos - marks.get(slot)));
      owners.set(slot, FREE);
    }
  }

  /** Nanoseconds from due to acknowledged, since this was asked before. */
  public Histogram written() {
    return written.getIntervalHistogram();
  }

  /** Nanoseconds from acknowledged to seen, since this was asked before. */
  public Histogram delivered() {
    return delivered.getIntervalHistogram();
  }

  private static int slot(long ordinal) {
    return (int) (ordinal / EVERY) & (SLOTS - 1);
  }
}
