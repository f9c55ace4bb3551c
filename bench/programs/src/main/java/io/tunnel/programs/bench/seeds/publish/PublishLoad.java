package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.programs.bench.seeds.publish.Publishing.Request;
import io.tunnel.stress.LoadClock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Runs one case in this process. Each publisher has one open request, and asks again when it is
 * answered; a request that fails ends the case.
 */
public final class PublishLoad {

  private static final long ANSWERS_SECONDS_MAX = 800;

  /** Without an event for so long, the missing ones are lost. */
  private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  /** Events that come twice come within this time. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final PublishCase what;
  private final LoadClock clock;
  private final Consumer<LoadLine> out;
  private final LongAdder failed = new LongAdder();
  private final AtomicReference<Optional<String>> firstFailure =
      new AtomicReference<>(Optional.empty());

  private PublishLoad(PublishCase what, LoadClock clock, Consumer<LoadLine> out) {
    this.what = what;
    this.clock = clock;
    this.out = out;
  }

  /** The cases of a program, which {@code service} carries. */
  public static LoadProgram.Cases cases(Publishing.Opening service, LoadClock clock) {
    return (text, out) -> new PublishLoad(PublishCase.parse(text), clock, out).run(service);
  }

  private void run(Publishing.Opening opening) throws Exception {
    try (Publishing service = opening.open(what)) {
      if (what.action() == Action.SET) {
        createAll(service, (publisher, path, nowNanos) -> {});
      }
      if (what.warmUpSeconds() > 0) {
        var unused = askFor(service, what.warmUpSeconds(), new Rates(clock.nanos()));
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
    Rates rates = new Rates(clock.nanos());
    long endNanos = askFor(service, what.seconds(), rates);
    tell(rates.figures(PublishFigures.MAIN, endNanos), 0, 0);
  }

  private void measureEvents(Publishing service) throws Exception {
    Heard heard = new Heard(what, service, clock, this::fail);
    service.follow(heard);
    out.accept(LoadLine.of(Word.MEASURING, Map.of()));
    heard.begin();
    createAll(service, heard::begins);
    long seen = -1;
    long seenNanos = clock.nanos();
    while (!heard.isWhole() && clock.nanos() - seenNanos < SILENCE_NANOS_MAX && !hasFailed()) {
      clock.waitUntil(clock.nanos() + LOOK_NANOS, heard::isWhole);
      if (heard.count() != seen) {
        seen = heard.count();
        seenNanos = clock.nanos();
      }
    }
    Map<String, Double> figures = heard.figures();
    clock.waitUntil(clock.nanos() + QUIET_NANOS, () -> false);
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

  /** Hears that a publisher is about to create a path. */
  @FunctionalInterface
  private interface Beginning {
    void begins(int publisher, int path, long nowNanos);
  }

  /** Publishers create all paths, one request after the other. */
  private void createAll(Publishing service, Beginning beginning) throws InterruptedException {
    Plan each = Plan.CLOSED.operations(what.pathsOfPublisher());
    await(
        begin(
            each,
            publisher ->
                turn -> {
                  int path = (int) turn.number();
                  beginning.begins(publisher, path, turn.dueNanos());
                  ask(service, publisher, Request.CREATE, path, turn);
                }));
  }

  /**
   * All publishers set paths in turn, or create and delete them, until the seconds are over;
   * returns when these were over.
   */
  private long askFor(Publishing service, int seconds, Rates rates) throws InterruptedException {
    boolean isSet = what.action() == Action.SET;
    // A path that was created is also deleted.
    int requestsOfPath = isSet ? 1 : 2;
    Load load =
        begin(
            Plan.CLOSED.together(requestsOfPath).timed(rates),
            publisher ->
                turn -> {
                  boolean isFirst = turn.number() % requestsOfPath == 0;
                  int path = (int) (turn.number() / requestsOfPath % what.pathsOfPublisher());
                  Request request = isSet ? Request.SET : isFirst ? Request.CREATE : Request.DELETE;
                  ask(service, publisher, request, path, turn);
                });
    clock.waitUntil(load.startNanos() + TimeUnit.SECONDS.toNanos(seconds), this::hasFailed);
    load.stop();
    long endNanos = clock.nanos();
    await(load);
    return endNanos;
  }

  private Load begin(Plan plan, IntFunction<Client> publisher) {
    return Load.begin(
        clock, plan, IntStream.range(0, what.publishers()).mapToObj(publisher).toList());
  }

  private void ask(Publishing service, int publisher, Request request, int path, Turn turn) {
    if (hasFailed()) {
      turn.leave();
      return;
    }
    service.ask(
        publisher,
        request,
        path,
        wrong -> {
          if (wrong.isPresent()) {
            String why =
                request + " of path " + path + " of publisher " + publisher + ": " + wrong.get();
            fail(why);
            turn.failed(new IllegalStateException(why));
          } else {
            turn.done();
          }
        });
  }

  private static void await(Load load) throws InterruptedException {
    if (!load.awaitEnd(ANSWERS_SECONDS_MAX)) {
      throw new IllegalStateException(
          load.operating() + " publishers had no answer within " + ANSWERS_SECONDS_MAX + " s");
    }
  }
}
