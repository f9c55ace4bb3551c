package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tunnel.server.replica.SnapshotFigures;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The meters of the snapshots of a node's partitions, and of the trims of their logs. */
final class SnapshotMeters {

  private final MeterRegistry registry;
  private final Supplier<SnapshotFigures> figures;

  SnapshotMeters(MeterRegistry registry, Supplier<SnapshotFigures> figures) {
    this.registry = registry;
    this.figures = figures;
  }

  /** Adds the meters, which keep this object. */
  void register() {
    count("tunnel.snapshot.taken", "Snapshots taken of led partitions", SnapshotFigures::taken);
    count("tunnel.snapshot.bytes", "Bytes of their blocks", SnapshotFigures::takenBytes);
    count("tunnel.snapshot.failures", "Attempts without a snapshot", SnapshotFigures::failed);
    count("tunnel.snapshot.verified", "Snapshots read back, intact", SnapshotFigures::verified);
    count("tunnel.snapshot.damaged", "Snapshots read back, damaged", SnapshotFigures::damaged);
    count("tunnel.shared.log.trims", "Trims of logs of led partitions", SnapshotFigures::trims);
    count(
        "tunnel.shared.log.trim.failures",
        "Deletions of records that Kafka refused or did not answer",
        SnapshotFigures::refusedDeletions);
    gauge(
        "tunnel.snapshot.age.ms",
        "The longest time since this node learned of the newest snapshot of a led partition",
        SnapshotFigures::newestAgeMs);
    gauge(
        "tunnel.snapshot.log.bytes",
        "Bytes of the logs after the newest snapshots of led partitions",
        SnapshotFigures::logBytes);
    gauge(
        "tunnel.snapshot.outrun",
        "1 while writes outrun snapshots at the highest pace",
        of -> of.isOutrun() ? 1 : 0);
  }

  private void count(String name, String description, ToDoubleFunction<SnapshotFigures> figure) {
    FunctionCounter.builder(name, this, of -> figure.applyAsDouble(of.figures.get()))
        .description(description)
        .register(registry);
  }

  private void gauge(String name, String description, ToDoubleFunction<SnapshotFigures> figure) {
    Gauge.builder(name, this, of -> figure.applyAsDouble(of.figures.get()))
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
