package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.process.LoadProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Runs one case in this process: each sender is a thread that sends for the seconds of the case,
 * and receivers go on until they have everything.
 */
public final class MessageLoad {

  static final String SENT = "sent";
  static final String EXPECTED = "expected";
  static final String RECEIVED = "received";
  static final String WRONG = "wrong";
  static final String NANOS = "nanos";
  static final String P50_NANOS = "p50Nanos";
  static final String P99_NANOS = "p99Nanos";

  /** Receivers have this time for the rest when the senders have ended. */
  private static final long DRAIN_SECONDS_MAX = 60;

  private static final long STOP_SECONDS_MAX = 60;
  private static final long LOOK_MS = 5;

  private static final long STACK_BYTES = 256 << 10;
  private static final double PERCENT_MEDIAN = 50;
  private static final double PERCENT_99 = 99;

  private final MessageCase what;
  private final LongSupplier nanos;
  private final Consumer<LoadLine> out;
  private final AtomicLongArray sent;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Never counted down: waiting for it is waiting for time. */
  private final CountDownLatch never = new CountDownLatch(1);

  private volatile boolean isStopping;

  MessageLoad(MessageCase what, LongSupplier nanos, Consumer<LoadLine> out) {
    this.what = what;
    this.nanos = nanos;
    this.out = out;
    this.sent = new AtomicLongArray(what.senders());
  }

  /**
   * The cases of a program.
   *
   * @param service carries the messages
   * @param nanos a clock that never goes back
   */
  public static LoadProgram.Cases cases(Messages.Opening service, LongSupplier nanos) {
    return (what, out) -> new MessageLoad(MessageCase.parse(what), nanos, out).run(service);
  }

  /** Runs it, and tells how it went. */
  void run(Messages.Opening service) throws Exception {
    Arrivals arrivals = new Arrivals(what.senders(), nanos);
    try (Messages messages = service.open(what)) {
      messages.receive(arrivals);
      List<Thread> threads = new ArrayList<>();
      for (int number = 0; number < what.senders(); number++) {
        threads.add(sending(messages.sender(number), number));
      }
      threads.forEach(Thread::start);
      try {
        measure(arrivals);
      } finally {
        isStopping = true;
      }
      end(threads, arrivals);
      drain(arrivals);
    }
  }

  private Thread sending(Messages.Sender sender, int number) {
    Thread thread = new Thread(null, () -> send(sender, number), "sender-" + number, STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  private void send(Messages.Sender sender, int number) {
    int together = what.messagesTogether();
    long next = 0;
    try (sender) {
      while (!isStopping) {
        sender.send(next, together);
        next += together;
        sent.set(number, next);
      }
      sender.flush();
    } catch (Throwable e) {
      // Also errors: a missing sender makes the load smaller.
      failure.compareAndSet(null, e);
    }
  }

  private void measure(Arrivals arrivals) throws Exception {
    wait(
        TimeUnit.SECONDS.toNanos(what.warmUpSeconds()),
        arrivals,
        () -> hasSent(MessageCase.SENT_BYTES_MAX / 2));
    out.accept(LoadLine.of(Word.MEASURING, Map.of()));
    arrivals.measure();
    long startNanos = nanos.getAsLong();
    long sentBefore = sent();
    long receivedBefore = arrivals.count();
    wait(
        TimeUnit.SECONDS.toNanos(what.seconds()),
        arrivals,
        () -> hasSent(MessageCase.SENT_BYTES_MAX));
    long elapsedNanos = nanos.getAsLong() - startNanos;
    long sentNow = sent() - sentBefore;
    long receivedNow = arrivals.count() - receivedBefore;
    Histogram times = arrivals.measured();
    out.accept(
        LoadLine.of(
            Word.MEASURED,
            Map.of(
                NANOS,
                (double) elapsedNanos,
                SENT,
                (double) sentNow,
                RECEIVED,
                (double) receivedNow,
                P50_NANOS,
                (double) times.getValueAtPercentile(PERCENT_MEDIAN),
                P99_NANOS,
                (double) times.getValueAtPercentile(PERCENT_99))));
  }

  private boolean hasSent(long bytes) {
    return sent() > bytes / what.bytes();
  }

  private long sent() {
    long sum = 0;
    for (int number = 0; number < what.senders(); number++) {
      sum += sent.get(number);
    }
    return sum;
  }

  private long expected() {
    long sum = 0;
    for (int number = 0; number < what.senders(); number++) {
      sum += sent.get(number) * what.copiesOf(number);
    }
    return sum;
  }

  /** Waits for so long; fails when a sender or the receivers have failed. */
  private void wait(long forNanos, Arrivals arrivals, BooleanSupplier isOver) throws Exception {
    long startNanos = nanos.getAsLong();
    while (nanos.getAsLong() - startNanos < forNanos && !isOver.getAsBoolean()) {
      requireNoFailure(arrivals);
      var unused = never.await(LOOK_MS, TimeUnit.MILLISECONDS);
    }
    requireNoFailure(arrivals);
  }

  private void requireNoFailure(Arrivals arrivals) {
    Throwable why = failure.get() == null ? arrivals.failure().orElse(null) : failure.get();
    if (why != null) {
      throw new IllegalStateException(LoadLine.failed(why).text(), why);
    }
  }

  private void end(List<Thread> threads, Arrivals arrivals) throws Exception {
    wait(
        TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX),
        arrivals,
        () -> threads.stream().noneMatch(Thread::isAlive));
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        throw new IllegalStateException(
            thread.getName() + " was not answered within " + STOP_SECONDS_MAX + " s");
      }
    }
  }

  private void drain(Arrivals arrivals) throws Exception {
    long expected = expected();
    wait(TimeUnit.SECONDS.toNanos(DRAIN_SECONDS_MAX), arrivals, () -> arrivals.count() >= expected);
    out.accept(
        LoadLine.of(
            Word.DONE,
            Map.of(
                SENT,
                (double) sent(),
                EXPECTED,
                (double) expected,
                RECEIVED,
                (double) arrivals.count(),
                WRONG,
                (double) arrivals.wrong())));
  }
}
