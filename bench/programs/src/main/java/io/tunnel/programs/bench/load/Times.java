package io.tunnel.programs.bench.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** The times of operations in nanoseconds, up to ten minutes each, with three digits. */
public final class Times implements Answers {

  private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 3;

  private final Recorder recorder = new Recorder(NANOS_MAX, DIGITS);

  /** Without any. */
  public Times() {}

  @Override
  public void answered(long dueNanos, long nowNanos) {
    recorder.recordValue(Math.max(0, Math.min(NANOS_MAX, nowNanos - dueNanos)));
  }

  /** The times since the histogram before; one caller. */
  public Histogram histogram() {
    return recorder.getIntervalHistogram();
  }
}
