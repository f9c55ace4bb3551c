package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tunnel.server.channel.ration.Rations.Figures;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Throttling of channels that are far behind, and the waits of writes meanwhile. */
final class CatchUpMeters {

  private static final double SECOND_NANOS = 1e9;

  private CatchUpMeters() {}

  static void add(MeterRegistry registry, Supplier<Figures> now) {
    FunctionCounter.builder("tunnel.catch.up.bytes", now, figures -> (double) figures.get().bytes())
        .description("Bytes delivered to channels that were far behind")
        .register(registry);
    gauge(
        registry,
        "tunnel.catch.up.limit.bytes.per.second",
        "Rate at which all channels that are far behind together are delivered",
        now,
        Figures::bytesPerSecond);
    gauge(
        registry,
        "tunnel.catch.up.waiting",
        "Channels that are far behind and wait for their turn",
        now,
        Figures::waiting);
    gauge(
        registry,
        "tunnel.write.wait.seconds",
        "How long a write waits on average",
        now,
        figures -> figures.waitNanos() / SECOND_NANOS);
    gauge(
        registry,
        "tunnel.write.wait.normal.seconds",
        "How long a write waits on average when nothing is caught up",
        now,
        figures -> figures.normalWaitNanos() / SECOND_NANOS);
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
}
