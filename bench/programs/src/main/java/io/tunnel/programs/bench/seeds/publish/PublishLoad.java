package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.programs.bench.seeds.publish.Publishing.Request;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Runs one case in this process. Each publisher has one open request, and asks again when it is
 * answered; a request that fails ends the case.
 */
public final class PublishLoad {

  private static final long ANSWERS_SECONDS_MAX = 800;

  /** Without an event for so long, the missing ones are lost. */
  private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  /** Events that come twice come within this time. */
  private static final long QUIET_MS = 200;

  private static final long LOOK_MS = 5;

  private final PublishCase what;
  private final LongSupplier nanos;
  private final Consumer<LoadLine> out;
  private final LongAdder failed = new LongAdder();
  private final AtomicReference<Optional<String>> firstFailure =
      new AtomicReference<>(Optional.empty());

  /** Never counted down: waiting for it is waiting for time. */
  private final CountDownLatch never = new CountDownLatch(1);

  private PublishLoad(PublishCase what, LongSupplier nanos, Consumer<LoadLine> out) {
    this.what = what;
    this.nanos = nanos;
    this.out = out;
  }

  /**
   * The cases of a program.
   *
   * @param service carries the case
   * @param nanos a clock that never goes back
   */
  public static LoadProgram.Cases cases(Publishing.Opening service, LongSupplier nanos) {
    return (text, out) -> new PublishLoad(PublishCase.parse(text), nanos, out).run(service);
  }

  private void run(Publishing.Opening opening) throws Exception {
    try (Publishing service = opening.open(what)) {
      if (what.action() == Action.SET) {
        askAll(number -> new Creation(service, number, (path, beganNanos) -> {}));
      }
      if (what.warmUpSeconds() > 0) {
        var unused = askFor(service, what.warmUpSeconds(), new Rates(nanos.getAsLong()));
      }
      if (what.action().hasSubscribers()) {
        measureEvents(service);
      } else {
        measureAnswers(service);
      }
    }
  }

  private void measureAnswers(Publishing service) throws InterruptedException {
    out.accept(LoadLine.of(Word.MEASURING, Map.of()));
    Rates rates = new Rates(nanos.getAsLong());
    long endNanos = askFor(service, what.seconds(), rates);
    tell(rates.figures(PublishFigures.MAIN, endNanos), 0, 0);
  }

  private void measureEvents(Publishing service) throws Exception {
    Heard heard = new Heard(what, service, nanos, this::fail);
    service.follow(heard);
    out.accept(LoadLine.of(Word.MEASURING, Map.of()));
    heard.begin();
    askAll(
        number ->
            new Creation(
                service, number, (path, beganNanos) -> heard.begins(number, path, beganNanos)));
    long seen = -1;
    long seenNanos = nanos.getAsLong();
    while (!heard.isWhole() && nanos.getAsLong() - seenNanos < SILENCE_NANOS_MAX && !hasFailed()) {
      var unused = never.await(LOOK_MS, TimeUnit.MILLISECONDS);
      if (heard.count() != seen) {
        seen = heard.count();
        seenNanos = nanos.getAsLong();
      }
    }
    Map<String, Double> figures = heard.figures();
    var unused = never.await(QUIET_MS, TimeUnit.MILLISECONDS);
    tell(figures, heard.missing(), heard.wrong());
  }

  private void tell(Map<String, Double> figures, long missing, long wrong) {
    out.accept(LoadLine.of(Word.MEASURED, figures));
    firstFailure.get().ifPresent(why -> System.err.println("the first failure: " + why));
    out.accept(
        LoadLine.of(
            Word.DONE,
            Map.of(
                PublishFigures.FAILED,
                (double) (failed.sum() + missing + wrong),
                PublishFigures.MISSING,
                (double) missing,
                PublishFigures.WRONG,
                (double) wrong)));
  }

  private void fail(String why) {
    firstFailure.compareAndSet(Optional.empty(), Optional.of(why));
    failed.increment();
  }

  private boolean hasFailed() {
    return failed.sum() > 0;
  }

  /** All publishers ask until their turns are over. */
  private void askAll(IntFunction<Turns> turns) throws InterruptedException {
    await(begin(turns));
  }

  private CountDownLatch begin(IntFunction<Turns> turns) {
    CountDownLatch left = new CountDownLatch(what.publishers());
    for (int number = 0; number < what.publishers(); number++) {
      turns.apply(number).ask(0, left);
    }
    return left;
  }

  private static void await(CountDownLatch left) throws InterruptedException {
    if (!left.await(ANSWERS_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          left.getCount() + " publishers had no answer within " + ANSWERS_SECONDS_MAX + " s");
    }
  }

  /** All publishers ask until the seconds are over; returns when these were over. */
  private long askFor(Publishing service, int seconds, Rates rates) throws InterruptedException {
    Stop stop = new Stop();
    CountDownLatch left = begin(number -> new Changes(service, number, rates, stop));
    long startNanos = nanos.getAsLong();
    while (nanos.getAsLong() - startNanos < TimeUnit.SECONDS.toNanos(seconds) && !hasFailed()) {
      var unused = never.await(LOOK_MS, TimeUnit.MILLISECONDS);
    }
    stop.isSet = true;
    long endNanos = nanos.getAsLong();
    await(left);
    return endNanos;
  }

  /** Whether publishers end; answers behind it do not count. */
  private static final class Stop {
    volatile boolean isSet;
  }

  /** The requests of one publisher, in turn. */
  private abstract class Turns {
    private final Publishing service;
    private final int number;

    Turns(Publishing service, int number) {
      this.service = service;
      this.number = number;
    }

    abstract boolean goesOn(long asked);

    abstract Request request(long asked);

    abstract int path(long asked);

    abstract void begins(int path, long nowNanos);

    abstract void answered(long beganNanos, long nowNanos);

    final void ask(long asked, CountDownLatch left) {
      if (hasFailed() || !goesOn(asked)) {
        left.countDown();
        return;
      }
      Request request = request(asked);
      int path = path(asked);
      long beganNanos = nanos.getAsLong();
      begins(path, beganNanos);
      service.ask(
          number,
          request,
          path,
          wrong -> {
            if (wrong.isPresent()) {
              fail(request + " of path " + path + " of publisher " + number + ": " + wrong.get());
            } else {
              answered(beganNanos, nanos.getAsLong());
            }
            ask(asked + 1, left);
          });
    }
  }

  /** Hears that a path is going to be created. */
  @FunctionalInterface
  private interface Beginning {
    void begins(int path, long nowNanos);
  }

  /** Creates each path once. */
  private final class Creation extends Turns {
    private final Beginning beginning;

    Creation(Publishing service, int number, Beginning beginning) {
      super(service, number);
      this.beginning = beginning;
    }

    @Override
    boolean goesOn(long asked) {
      return asked < what.pathsOfPublisher();
    }

    @Override
    Request request(long asked) {
      return Request.CREATE;
    }

    @Override
    int path(long asked) {
      return (int) asked;
    }

    @Override
    void begins(int path, long nowNanos) {
      beginning.begins(path, nowNanos);
    }

    @Override
    void answered(long beganNanos, long nowNanos) {}
  }

  /** Sets paths in turn, or creates and deletes them. */
  private final class Changes extends Turns {
    private final Rates rates;
    private final Stop stop;
    private final int requestsOfPath;

    Changes(Publishing service, int number, Rates rates, Stop stop) {
      super(service, number);
      this.rates = rates;
      this.stop = stop;
      this.requestsOfPath = what.action() == Action.SET ? 1 : 2;
    }

    @Override
    boolean goesOn(long asked) {
      // A path that was created is also deleted.
      return !stop.isSet || asked % requestsOfPath != 0;
    }

    @Override
    Request request(long asked) {
      if (what.action() == Action.SET) {
        return Request.SET;
      }
      return asked % 2 == 0 ? Request.CREATE : Request.DELETE;
    }

    @Override
    int path(long asked) {
      return (int) (asked / requestsOfPath % what.pathsOfPublisher());
    }

    @Override
    void begins(int path, long nowNanos) {}

    @Override
    void answered(long beganNanos, long nowNanos) {
      if (!stop.isSet) {
        rates.answered(beganNanos, nowNanos);
      }
    }
  }
}
