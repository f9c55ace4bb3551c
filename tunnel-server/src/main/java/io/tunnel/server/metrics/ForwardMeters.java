package io.tunnel.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tunnel.server.forward.ForwardMeter;
import io.tunnel.server.forward.Forwarder;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters of requests that this server sends for principals. */
final class ForwardMeters implements ForwardMeter {

  private final Map<Outcome, Timer> times = new EnumMap<>(Outcome.class);
  private final Counter requestBytes;
  private final Counter answerBytes;

  ForwardMeters(MeterRegistry registry) {
    for (Outcome outcome : Outcome.values()) {
      times.put(
          outcome,
          Timer.builder("tunnel.forward")
              .description("Forwarded requests from their beginning to their end")
              .tag("outcome", outcome.name())
              .register(registry));
    }
    requestBytes =
        Counter.builder("tunnel.forward.request.bytes")
            .description("Bytes of the payloads of forwarded requests")
            .register(registry);
    answerBytes =
        Counter.builder("tunnel.forward.answer.bytes")
            .description("Bytes of the payloads of their answers")
            .register(registry);
  }

  /** Adds what forwarded requests hold at a moment. */
  static void held(MeterRegistry registry, Supplier<Forwarder.Held> now) {
    Gauge.builder("tunnel.forward.open", () -> now.get().requests())
        .description("Forwarded requests that wait for their answers")
        .strongReference(true)
        .register(registry);
    Gauge.builder("tunnel.forward.held.bytes", () -> now.get().bytes())
        .description("Bytes of open forwarded requests and of their arriving answers")
        .strongReference(true)
        .register(registry);
  }

  @Override
  public void ended(Outcome outcome, int sent, int received, long nanos) {
    times.get(outcome).record(nanos, TimeUnit.NANOSECONDS);
    requestBytes.increment(sent);
    answerBytes.increment(received);
  }
}
