package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.programs.ledger.OrderCore;
import io.tunnel.stress.LoadClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * What all subscribers of a case heard and read: each path has to come to each of its subscribers
 * once, and those of a publisher in the order of their creation.
 */
final class Heard implements Publishing.Events {

  private final PublishCase what;
  private final Publishing service;
  private final LoadClock clock;
  private final Consumer<String> failure;

  /** When the creation of each path began; 0 before. */
  private final AtomicLongArray beganNanos;

  /** By subscriber; each guards itself. */
  private final List<OrderCore> seen;

  /** Paths that nobody creates. */
  private final LongAdder unknown = new LongAdder();

  private final LongAdder events = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAccumulator lastNanos = new LongAccumulator(Math::max, Long.MIN_VALUE);
  private volatile Rates ofEvents;
  private volatile Rates ofData;

  /** Nothing yet. */
  Heard(PublishCase what, Publishing service, LoadClock clock, Consumer<String> failure) {
    this.what = what;
    this.service = service;
    this.clock = clock;
    this.failure = failure;
    this.beganNanos = new AtomicLongArray(what.publishers() * what.pathsOfPublisher());
    this.seen =
        IntStream.range(0, what.subscribers()).mapToObj(unused -> new OrderCore(0)).toList();
    begin();
  }

  /** The measured time begins. */
  void begin() {
    long now = clock.nanos();
    ofEvents = new Rates(now);
    ofData = new Rates(now);
  }

  /** A publisher is about to create a path. */
  void begins(int publisher, int path, long nowNanos) {
    beganNanos.set(publisher * what.pathsOfPublisher() + path, nowNanos);
  }

  @Override
  public void created(int subscriber, int path) {
    long now = clock.nanos();
    if (path < 0 || path >= what.pathsOfPublisher()) {
      unknown.increment();
      return;
    }
    OrderCore own = seen.get(subscriber);
    synchronized (own) {
      if (own.came(path) == OrderCore.Arrival.REPEATED) {
        return;
      }
    }
    long began = beganNanos.get(what.publisherOf(subscriber) * what.pathsOfPublisher() + path);
    if (began == 0) {
      failure.accept(
          "subscriber " + subscriber + " heard of path " + path + " before its creation");
      return;
    }
    ofEvents.answered(began, now);
    lastNanos.accumulate(now);
    events.increment();
    if (what.action() == Action.NOTIFY_READ) {
      service.read(
          subscriber,
          path,
          wrong -> {
            if (wrong.isPresent()) {
              failure.accept("subscriber " + subscriber + ", path " + path + ": " + wrong.get());
              return;
            }
            long readNanos = clock.nanos();
            ofData.answered(began, readNanos);
            lastNanos.accumulate(readNanos);
            reads.increment();
          });
    }
  }

  @Override
  public void failed(String why) {
    failure.accept("subscribers: " + why);
  }

  /** Events and reads so far. */
  long count() {
    return events.sum() + reads.sum();
  }

  /** Whether everything came that has to come. */
  boolean isWhole() {
    return count() == what.events() * (what.action() == Action.NOTIFY_READ ? 2 : 1);
  }

  long missing() {
    return what.events() - sum(OrderCore::arrived);
  }

  /** Paths that came again, after a later path, or that nobody creates. */
  long wrong() {
    return sum(own -> own.repeated() + own.late()) + unknown.sum();
  }

  private long sum(ToLongFunction<OrderCore> number) {
    return seen.stream()
        .mapToLong(
            own -> {
              synchronized (own) {
                return number.applyAsLong(own);
              }
            })
        .sum();
  }

  /** Rates and times until the last event or read. Called once. */
  Map<String, Double> figures() {
    long endNanos = Math.max(1, lastNanos.get());
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.putAll(ofEvents.figures(PublishFigures.MAIN, endNanos));
    if (what.action() == Action.NOTIFY_READ) {
      figures.putAll(ofData.figures(PublishFigures.DATA, endNanos));
    }
    return figures;
  }
}
