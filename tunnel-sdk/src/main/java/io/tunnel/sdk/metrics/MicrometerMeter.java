package io.tunnel.sdk.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the figures of clients and workers in a registry of Micrometer; {@code
 * docs/reference/metrics.md} lists them. Figures of workers have the tag {@code tunnel}, the
 * tunnel's id. One meter may serve many clients, and adds up their figures.
 */
@SuppressWarnings("exports") // Who uses it requires Micrometer by itself.
public final class MicrometerMeter implements SdkMeter {

  private final MeterRegistry registry;
  private final Counter connected;
  private final Counter connectFailed;
  private final Counter batches;
  private final Counter bytes;
  private final Timer latency;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Map<Outcome, Counter> rows = new EnumMap<>(Outcome.class);
  private final Map<String, WorkerFigures> workers = new ConcurrentHashMap<>();

  /** Registers the meters of clients at once; the meters of a worker with its first call. */
  public MicrometerMeter(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
    connected = counter("tunnel.client.connections.opened", "Connections opened", Tags.empty());
    connectFailed =
        counter("tunnel.client.connections.failed", "Connections not opened", Tags.empty());
    batches = counter("tunnel.writer.batches", "Batches sent, also again", Tags.empty());
    bytes = counter("tunnel.writer.bytes", "Bytes of the batches sent", Tags.empty());
    latency =
        timer("tunnel.writer.latency", "Time from sending a batch to its outcome", Tags.empty());
    Gauge.builder("tunnel.writer.inflight", inFlight, AtomicInteger::get)
        .description("Batches in flight")
        .strongReference(true)
        .register(registry);
    for (Outcome outcome : Outcome.values()) {
      rows.put(
          outcome,
          counter(
              "tunnel.writer.rows", "Rows told their outcome", Tags.of("outcome", outcome.name())));
    }
  }

  private Counter counter(String name, String description, Tags tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  private Timer timer(String name, String description, Tags tags) {
    return Timer.builder(name).description(description).tags(tags).register(registry);
  }

  /** The figures of the workers of one tunnel. */
  private final class WorkerFigures {
    private final AtomicInteger channels = new AtomicInteger();
    private final AtomicLong newestMicros = new AtomicLong();
    private final Counter sessionsOpened;
    private final Counter sessionsLost;
    private final Counter changes;
    private final Counter changeBytes;
    private final Timer callback;
    private final Counter failures;
    private final Counter retries;
    private final Counter skipped;
    private final Counter stopped;
    private final Timer checkpoint;

    WorkerFigures(String tunnelId) {
      Tags tags = Tags.of("tunnel", tunnelId);
      sessionsOpened = counter("tunnel.worker.sessions.opened", "Sessions opened", tags);
      sessionsLost =
          counter(
              "tunnel.worker.sessions.lost",
              "Sessions that were lost or could not be opened",
              tags);
      changes = counter("tunnel.worker.changes", "Changes processed", tags);
      changeBytes = counter("tunnel.worker.bytes", "Bytes of the changes processed", tags);
      callback = timer("tunnel.worker.callback", "Calls of processors", tags);
      failures = counter("tunnel.worker.failures", "Calls of processors that failed", tags);
      retries =
          counter("tunnel.worker.retries", "Retries after a failed call of a processor", tags);
      skipped = counter("tunnel.worker.skipped", "Changes left out", tags);
      stopped = counter("tunnel.worker.stopped", "Channels stopped", tags);
      checkpoint = timer("tunnel.worker.checkpoint", "Storing of checkpoints", tags);
      Gauge.builder("tunnel.worker.channels", channels, AtomicInteger::get)
          .description("Channels held")
          .tags(tags)
          .strongReference(true)
          .register(registry);
      Gauge.builder("tunnel.worker.processed.until", newestMicros, micros -> micros.get() / 1e6)
          .description("Commit time of the newest processed change, since 1970")
          .baseUnit("seconds")
          .tags(tags)
          .strongReference(true)
          .register(registry);
    }
  }

  private WorkerFigures of(String tunnelId) {
    return workers.computeIfAbsent(tunnelId, WorkerFigures::new);
  }

  @Override
  public void connected() {
    connected.increment();
  }

  @Override
  public void connectFailed() {
    connectFailed.increment();
  }

  @Override
  public void batchSent(int count, long size) {
    inFlight.incrementAndGet();
    batches.increment();
    bytes.increment((double) size);
  }

  @Override
  public void batchOver(long nanos) {
    inFlight.decrementAndGet();
    latency.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void rows(Outcome outcome, int count) {
    rows.get(outcome).increment(count);
  }

  @Override
  public void sessionOpened(String tunnelId) {
    of(tunnelId).sessionsOpened.increment();
  }

  @Override
  public void sessionLost(String tunnelId) {
    of(tunnelId).sessionsLost.increment();
  }

  @Override
  public void channelsHeld(String tunnelId, int channels) {
    of(tunnelId).channels.set(channels);
  }

  @Override
  public void called(String tunnelId, long nanos) {
    of(tunnelId).callback.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void processed(String tunnelId, int changes, long size, long committedMicros) {
    WorkerFigures figures = of(tunnelId);
    figures.changes.increment(changes);
    figures.changeBytes.increment((double) size);
    figures.newestMicros.accumulateAndGet(committedMicros, Math::max);
  }

  @Override
  public void failed(String tunnelId) {
    of(tunnelId).failures.increment();
  }

  @Override
  public void retried(String tunnelId) {
    of(tunnelId).retries.increment();
  }

  @Override
  public void skipped(String tunnelId) {
    of(tunnelId).skipped.increment();
  }

  @Override
  public void stopped(String tunnelId) {
    of(tunnelId).stopped.increment();
  }

  @Override
  public void checkpointed(String tunnelId, long nanos) {
    of(tunnelId).checkpoint.record(nanos, TimeUnit.NANOSECONDS);
  }
}
