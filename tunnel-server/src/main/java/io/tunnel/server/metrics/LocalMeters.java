package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tunnel.server.catalog.TunnelCatalog;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The meters of a server without a cluster. A node of a log of appends has the lag of expiry. */
public final class LocalMeters {

  private final MeterRegistry registry;

  /** Adds meters to those of the server. */
  public LocalMeters(ServerMeters meters) {
    this.registry = meters.registry();
  }

  /** Adds syncs and disk of the catalog. */
  public void catalog(TunnelCatalog catalog) {
    FunctionCounter.builder("tunnel.catalog.syncs", catalog, TunnelCatalog::syncs)
        .description("Syncs of the catalog's own log")
        .register(registry);
    Gauge.builder("tunnel.catalog.failed", catalog, of -> of.condition().refusesWrites() ? 1 : 0)
        .description("Whether the catalog takes no writes until its disk recovers")
        .register(registry);
    Gauge.builder("tunnel.catalog.stalled", catalog, of -> ServerMeters.isStalled(of.condition()))
        .description("Whether a write or sync of the catalog takes longer than 3 s")
        .register(registry);
  }

  /** Adds by how many seconds the wall clock is off, while the server does not believe it. */
  public void clock(Supplier<Number> doubtSeconds) {
    Gauge.builder("tunnel.clock.off.seconds", doubtSeconds)
        .description("Wall clock minus the server's time; 0 while the wall clock is believed")
        .strongReference(true)
        .register(registry);
  }

  /** Adds how long ago the first row expired that is still stored; NaN while that is unknown. */
  public void expiryLag(Supplier<OptionalLong> micros) {
    Gauge.builder("tunnel.expiry.lag.seconds", () -> seconds(micros.get()))
        .description("Since when the oldest expired row waits for its deletion")
        .strongReference(true)
        .register(registry);
  }

  private static double seconds(OptionalLong micros) {
    return micros.isPresent() ? micros.getAsLong() / 1e6 : Double.NaN;
  }

  /** Adds the snapshots of base data that are kept for tunnels; for a node of a cluster, too. */
  public void keptRows(Supplier<Number> count, Supplier<Number> refused) {
    Gauge.builder("tunnel.base.snapshots", count)
        .description("Partitions of tunnels whose rows are kept as base data")
        .strongReference(true)
        .register(registry);
    // The registry is the object, because a meter holds its object weakly.
    FunctionCounter.builder(
            "tunnel.base.snapshots.refused", registry, any -> refused.get().doubleValue())
        .description("Rows that were not kept as base data because of the limit")
        .register(registry);
  }

  /** Adds the number of row sessions. */
  public void rowSessions(Supplier<Number> count) {
    Gauge.builder("tunnel.row.sessions", count)
        .description("Sessions that rows can be bound to")
        .strongReference(true)
        .register(registry);
  }
}
