package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tunnel.server.channel.watch.Watches.Figures;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Figures of watches: number, memory, and changes read. */
final class WatchMeters {

  private WatchMeters() {}

  static void add(MeterRegistry registry, Supplier<Figures> now) {
    gauge(registry, "tunnel.watches", "Watches of partitions", now, Figures::watches);
    gauge(
        registry,
        "tunnel.watches.behind",
        "Watches that resume, or whose clients are slow",
        now,
        Figures::behind);
    gauge(
        registry,
        "tunnel.watches.terms.bytes",
        "Bytes of the keys and prefixes of watches",
        now,
        Figures::termsBytes);
    gauge(
        registry,
        "tunnel.watches.buffered.bytes",
        "Bytes of changes read for watches and not sent yet",
        now,
        Figures::bufferedBytes);
    counter(
        registry,
        "tunnel.watches.read.rows",
        "Changes read once for all watches of a partition",
        now,
        Figures::readRows);
    counter(
        registry,
        "tunnel.watches.catch.up.rows",
        "Changes read again for watches that were behind",
        now,
        Figures::catchUpRows);
  }

  private static void gauge(
      MeterRegistry registry,
      String name,
      String description,
      Supplier<Figures> now,
      ToDoubleFunction<Figures> figure) {
    Gauge.builder(name, () -> figure.applyAsDouble(now.get()))
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  private static void counter(
      MeterRegistry registry,
      String name,
      String description,
      Supplier<Figures> now,
      ToDoubleFunction<Figures> figure) {
    FunctionCounter.builder(name, now, from -> figure.applyAsDouble(from.get()))
        .description(description)
        .register(registry);
  }
}
