package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.stress.LoadClock;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The messages that the receivers of a case got. Messages of one sender come to one stream, a
 * receiver or a partition, in rising order. A message with a lower number was repeated, or was
 * overtaken.
 */
public final class Arrivals {

  private static final int SIGNIFICANT_DIGITS = 3;

  private final int senders;
  private final LoadClock clock;
  private final LongAdder count = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final Map<String, Stream> streams = new ConcurrentHashMap<>();
  private final Recorder times = new Recorder(SIGNIFICANT_DIGITS);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean isMeasuring;

  /**
   * Nothing yet.
   *
   * @param senders how many there are
   * @param clock the clock that messages were stamped with
   */
  public Arrivals(int senders, LoadClock clock) {
    this.senders = senders;
    this.clock = clock;
  }

  /** The stream of that name, which one thread at a time feeds. */
  public Stream stream(String name) {
    return streams.computeIfAbsent(name, unused -> new Stream());
  }

  /** Receivers are at their end: what follows does not come. */
  public void failed(Throwable why) {
    failure.compareAndSet(null, why);
  }

  Optional<Throwable> failure() {
    return Optional.ofNullable(failure.get());
  }

  /** Messages so far, each copy counted. */
  long count() {
    return count.sum();
  }

  /** Messages that came twice or out of order. */
  long wrong() {
    return wrong.sum();
  }

  /** Begins to take times. */
  void measure() {
    times.reset();
    isMeasuring = true;
  }

  /** The times since {@link #measure}. */
  Histogram measured() {
    isMeasuring = false;
    return times.getIntervalHistogram();
  }

  /** What comes in order: to a receiver, or from a partition. */
  public final class Stream {

    /** The last number of each sender; -1 before the first. Guarded by this. */
    private final long[] last = new long[senders];

    private Stream() {
      Arrays.fill(last, -1);
    }

    /** A message came. */
    public void arrived(MessageHeader message) {
      synchronized (this) {
        if (message.number() <= last[message.sender()]) {
          wrong.increment();
        }
        last[message.sender()] = message.number();
      }
      if (isMeasuring) {
        times.recordValue(Math.max(0, clock.nanos() - message.sentNanos()));
      }
      count.increment();
    }
  }
}
