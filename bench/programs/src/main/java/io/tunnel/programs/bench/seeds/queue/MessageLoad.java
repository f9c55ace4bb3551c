package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long STACK_BYTES = 256 << 10;
  private static final double PERCENT_MEDIAN = 50;
  private static final double PERCENT_99 = 99;

  private final MessageCase what;
  private final LoadClock clock;
  private final Consumer<LoadLine> out;
  private final AtomicLongArray sent;

  MessageLoad(MessageCase what, LoadClock clock, Consumer<LoadLine> out) {
    this.what = what;
    this.clock = clock;
    this.out = out;
    this.sent = new AtomicLongArray(what.senders());
  }

  /** The cases of a program, whose messages {@code service} carries. */
  public static LoadProgram.Cases cases(Messages.Opening service, LoadClock clock) {
    return (what, out) -> new MessageLoad(MessageCase.parse(what), clock, out).run(service);
  }

  /** Runs it, and tells how it went. */
  void run(Messages.Opening service) throws Exception {
    Arrivals arrivals = new Arrivals(what.senders(), clock);
    try (Messages messages = service.open(what)) {
      messages.receive(arrivals);
      List<Client> senders = new ArrayList<>();
      for (int number = 0; number < what.senders(); number++) {
        senders.add(new Sending(messages.sender(number), number));
      }
      Load load = Load.begin(clock, Plan.CLOSED, senders, MessageLoad::thread);
      try {
        measure(load, arrivals);
      } finally {
        load.stop();
      }
      end(load, arrivals);
      drain(load, arrivals);
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(null, work, "sender", STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  /** One sender, which blocks until the service has answered. */
  private final class Sending implements Client {
    private final Messages.Sender sender;
    private final int number;
    private boolean hasFailed;

    Sending(Messages.Sender sender, int number) {
      this.sender = sender;
      this.number = number;
    }

    @Override
    public void operate(Turn turn) throws Exception {
      int together = what.messagesTogether();
      hasFailed = true;
      sender.send(turn.number() * together, together);
      hasFailed = false;
      sent.set(number, (turn.number() + 1) * together);
      turn.done();
    }

    @Override
    public void left() throws Exception {
      try (sender) {
        if (!hasFailed) {
          sender.flush();
        }
      }
    }
  }

  private void measure(Load load, Arrivals arrivals) throws Exception {
    wait(
        TimeUnit.SECONDS.toNanos(what.warmUpSeconds()),
        load,
        arrivals,
        () -> hasSent(MessageCase.SENT_BYTES_MAX / 2));
    out.accept(LoadLine.of(Word.MEASURING, Map.of()));
    arrivals.measure();
    long startNanos = clock.nanos();
    long sentBefore = sent();
    long receivedBefore = arrivals.count();
    wait(
        TimeUnit.SECONDS.toNanos(what.seconds()),
        load,
        arrivals,
        () -> hasSent(MessageCase.SENT_BYTES_MAX));
    long elapsedNanos = clock.nanos() - startNanos;
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
  private void wait(long forNanos, Load load, Arrivals arrivals, BooleanSupplier isOver)
      throws Exception {
    long startNanos = clock.nanos();
    while (clock.nanos() - startNanos < forNanos && !isOver.getAsBoolean()) {
      requireNoFailure(load, arrivals);
      clock.waitUntil(clock.nanos() + LOOK_NANOS, isOver);
    }
    requireNoFailure(load, arrivals);
  }

  private static void requireNoFailure(Load load, Arrivals arrivals) {
    Optional<Throwable> why = load.failure().or(arrivals::failure);
    if (why.isPresent()) {
      throw new IllegalStateException(LoadLine.failed(why.get()).text(), why.get());
    }
  }

  private void end(Load load, Arrivals arrivals) throws Exception {
    wait(TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX), load, arrivals, () -> load.operating() == 0);
    if (load.operating() > 0) {
      throw new IllegalStateException(
          load.operating() + " senders were not answered within " + STOP_SECONDS_MAX + " s");
    }
  }

  private void drain(Load load, Arrivals arrivals) throws Exception {
    long expected = expected();
    wait(
        TimeUnit.SECONDS.toNanos(DRAIN_SECONDS_MAX),
        load,
        arrivals,
        () -> arrivals.count() >= expected);
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
