package io.tunnel.terminal;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Shows how long work gets on: a bar that is redrawn with count, rate and time left when the screen
 * is a terminal, a plain line every few seconds when it is not, and one last line at the end.
 *
 * <p>It has no thread of its own. A thread that reports progress also draws when it is time to; any
 * number of threads may report: one thread draws at a time, and the rest only count. Work that
 * reports nothing for a while shows nothing for a while.
 */
public final class ProgressBar implements AutoCloseable {

  private static final long REDRAW_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 5_000_000_000L;

  private final ProgressText text;
  private final Screen screen;
  private final LongSupplier nanoClock;
  private final long intervalNanos;
  private final AtomicLong done = new AtomicLong();

  /** Guards everything below. */
  private final ReentrantLock drawing = new ReentrantLock();

  private final ProgressCore core;
  private int drawnWidth;
  private boolean closed;

  /** Read outside the lock to see whether it is time to draw. */
  private volatile long nextNanos;

  /**
   * Starts at 0 now.
   *
   * @param label what is being done, such as {@code writing}
   * @param unit what is counted, in the plural, such as {@code rows}
   * @param total how much there is to do; empty when that is not known
   * @param nanoClock as {@link System#nanoTime}
   */
  public ProgressBar(
      String label, String unit, OptionalLong total, Screen screen, LongSupplier nanoClock) {
    this.text = new ProgressText(label, unit);
    this.screen = screen;
    this.nanoClock = nanoClock;
    this.intervalNanos = screen.isRedrawable() ? REDRAW_NANOS : PLAIN_NANOS;
    long now = nanoClock.getAsLong();
    this.core = new ProgressCore(total, now);
    this.nextNanos = now + intervalNanos;
  }

  /**
   * An earlier run has done {@code count}: they are shown as done, and counted in no rate. Comes
   * before each other report.
   */
  public void begunAt(long count) {
    drawing.lock();
    try {
      core.begunAt(count);
      done.set(count);
    } finally {
      drawing.unlock();
    }
  }

  /** {@code count} more were done. */
  public void add(long count) {
    done.addAndGet(count);
    drawIfDue();
  }

  /** {@code count} were done in all; a lower count than before changes nothing. */
  public void advanceTo(long count) {
    done.accumulateAndGet(count, Math::max);
    drawIfDue();
  }

  private void drawIfDue() {
    long now = nanoClock.getAsLong();
    if (now - nextNanos < 0 || !drawing.tryLock()) {
      return;
    }
    try {
      if (!closed && now - nextNanos >= 0) {
        nextNanos = now + intervalNanos;
        draw(core.observe(now, done.get()));
      }
    } finally {
      drawing.unlock();
    }
  }

  private void draw(ProgressCore.Reading reading) {
    if (!screen.isRedrawable()) {
      screen.println(text.plain(reading));
      return;
    }
    // A terminal that is filled to its last column would wrap.
    int columns = screen.columns() - 1;
    if (drawnWidth > columns) {
      // The terminal has become narrower, and has broken the line: a new one begins below it.
      screen.println("");
      drawnWidth = 0;
    }
    String line = text.bar(reading, columns);
    screen.redraw(line, drawnWidth);
    drawnWidth = line.length();
  }

  /**
   * Runs {@code output}, which may print lines to the same terminal, where the bar was; the bar
   * comes back below at its next time.
   */
  public void above(Runnable output) {
    drawing.lock();
    try {
      clear();
      output.run();
    } finally {
      drawing.unlock();
    }
  }

  private void clear() {
    if (drawnWidth > 0) {
      screen.clear(drawnWidth);
      drawnWidth = 0;
    }
  }

  /** Replaces the bar by a last line with the count, the time and the rate over all of it. */
  @Override
  public void close() {
    drawing.lock();
    try {
      if (!closed) {
        closed = true;
        clear();
        screen.println(text.summary(core.observe(nanoClock.getAsLong(), done.get())));
      }
    } finally {
      drawing.unlock();
    }
  }
}
