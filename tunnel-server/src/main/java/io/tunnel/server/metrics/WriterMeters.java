package io.tunnel.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tunnel.server.partition.judge.Writers.Figures;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/** Figures of writers that number their batches: repetitions, and what the server keeps. */
final class WriterMeters {

  private final Counter repeated;
  private final Counter forgotten;
  private final Counter dropped;

  /** The last figures of each shard. */
  private final Map<Integer, Figures> last = new ConcurrentHashMap<>();

  WriterMeters(MeterRegistry registry) {
    this.repeated =
        counter(
            registry,
            "tunnel.writes.repeated",
            "Batches that came again and got their first answer");
    this.forgotten =
        counter(
            registry,
            "tunnel.writers.forgotten",
            "Writers whose repetitions are not recognised any more");
    this.dropped =
        counter(
            registry,
            "tunnel.writers.answers.dropped",
            "Answers for repeated batches that were dropped to save memory");
    gauge(registry, "tunnel.writers", "Writers whose repetitions are recognised", Figures::count);
    gauge(
        registry,
        "tunnel.writers.answer.bytes",
        "Bytes of answers that are kept for repeated batches",
        Figures::answerBytes);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToLongFunction<Figures> figure) {
    Gauge.builder(name, last, from -> from.values().stream().mapToLong(figure).sum())
        .description(description)
        .register(registry);
  }

  void add(int shard, Figures figures) {
    last.put(shard, figures);
    repeated.increment((double) figures.repeated());
    forgotten.increment((double) figures.forgotten());
    dropped.increment((double) figures.dropped());
  }
}
