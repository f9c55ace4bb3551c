package io.tunnel.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.tunnel.server.net.access.PrincipalFigures.Figures;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** For each principal, within the bound of their number: refusals, slow-downs, and quotas. */
final class PrincipalMeters {

  private final MeterRegistry registry;
  private final MultiGauge used;
  private final MultiGauge most;

  PrincipalMeters(MeterRegistry registry) {
    this.registry = registry;
    this.used =
        MultiGauge.builder("tunnel.principal.quota.used")
            .description("Principals' use of the counts in their quotas")
            .register(registry);
    this.most =
        MultiGauge.builder("tunnel.principal.quota.max")
            .description("Counts that the principals' quotas allow")
            .register(registry);
  }

  /** Updates the figures; counters are registered once. */
  void now(Map<String, Figures> figuresByPrincipal, List<QuotaUse> quotas) {
    figuresByPrincipal.forEach(this::name);
    List<MultiGauge.Row<?>> usedRows = new ArrayList<>();
    List<MultiGauge.Row<?>> mostRows = new ArrayList<>();
    for (QuotaUse use : quotas) {
      Tags tags = Tags.of("principal", use.principal(), "limit", use.limit());
      usedRows.add(MultiGauge.Row.of(tags, (double) use.used()));
      mostRows.add(MultiGauge.Row.of(tags, (double) use.most()));
    }
    used.register(usedRows, true);
    most.register(mostRows, true);
  }

  private void name(String principal, Figures figures) {
    Tags tags = Tags.of("principal", principal);
    figures
        .refusals()
        .forEach(
            (code, count) ->
                FunctionCounter.builder("tunnel.principal.refusals", count, LongAdder::sum)
                    .description("Requests refused")
                    .tags(tags.and("code", code.name()))
                    .register(registry));
    FunctionCounter.builder("tunnel.principal.slowed", figures.slowed(), LongAdder::sum)
        .description("Times that a quota made a principal wait")
        .tags(tags)
        .register(registry);
    FunctionCounter.builder(
            "tunnel.principal.slowed.seconds",
            figures.slowedNanos(),
            nanos -> nanos.sum() / (double) TimeUnit.SECONDS.toNanos(1))
        .description("For how long")
        .tags(tags)
        .register(registry);
  }
}
