package io.tunnel.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.forward.ForwardMeter;
import io.tunnel.server.forward.Forwarder;
import io.tunnel.server.net.NetMeter;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.NetServer.Held;
import io.tunnel.server.net.access.PrincipalFigures;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.judge.Writers;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** All meters of a server, and the ports through which the rooms feed them. */
public final class ServerMeters implements Shard.Meter, NetMeter, AutoCloseable {

  /** The figures of RocksDB that are worth watching, with RocksDB's names for them. */
  private enum RocksFigure {
    KEYS("tunnel.rocksdb.keys", "rocksdb.estimate-num-keys"),
    LIVE_BYTES("tunnel.rocksdb.live.bytes", "rocksdb.estimate-live-data-size"),
    FILE_BYTES("tunnel.rocksdb.file.bytes", "rocksdb.total-sst-files-size"),
    WRITE_BUFFER_BYTES("tunnel.rocksdb.writebuffer.bytes", "rocksdb.cur-size-all-mem-tables"),
    COMPACTION_PENDING_BYTES(
        "tunnel.rocksdb.compaction.pending.bytes", "rocksdb.estimate-pending-compaction-bytes"),
    RUNNING_COMPACTIONS("tunnel.rocksdb.compactions", "rocksdb.num-running-compactions"),
    RUNNING_FLUSHES("tunnel.rocksdb.flushes", "rocksdb.num-running-flushes"),
    IS_STALLED("tunnel.rocksdb.stalled", "rocksdb.is-write-stopped"),
    BLOCK_CACHE_BYTES("tunnel.rocksdb.blockcache.bytes", "rocksdb.block-cache-usage");

    private final String meter;
    private final String property;

    RocksFigure(String meter, String property) {
      this.meter = meter;
      this.property = property;
    }
  }

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final Counter rowsWritten = counter("tunnel.rows.written", "Rows committed");
  private final Counter rowsRejected =
      counter("tunnel.rows.rejected", "Rows whose condition did not hold");
  private final WriterMeters writers = new WriterMeters(registry);
  private final Counter rowsExpired =
      counter("tunnel.rows.expired", "Rows deleted because their time to live was over");
  private final Counter rowsUnbound =
      counter("tunnel.rows.unbound", "Rows deleted because their session had ended");
  private final Counter bytesWritten =
      counter("tunnel.bytes.written", "Bytes of batches committed");
  private final Counter changesTrimmed =
      counter("tunnel.changes.trimmed", "Changes that are kept no longer");
  private final Counter changesLost =
      counter("tunnel.changes.lost", "Changes that tunnels lost to retention");
  private final Counter segmentsDeleted =
      counter("tunnel.log.segments.deleted", "Files of logs that were deleted");
  private final Counter bytesDeleted =
      counter("tunnel.log.bytes.deleted", "Bytes of the files of logs that were deleted");
  private final Timer commit = timer("tunnel.commit", "Append and sync of a group");
  private final Timer fold = timer("tunnel.fold", "Fold of a group into the table");
  private final LongAdder connections = new LongAdder();
  private final LongAdder received = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder delivered = new LongAdder();
  private final LongAdder deliveries = new LongAdder();
  private final LongAdder deliveredRows = new LongAdder();
  private final DeliveryAges deliveryAges = new DeliveryAges();
  private final LongSupplier epochMicros;
  private final Map<ErrorCode, Counter> refusals = new EnumMap<>(ErrorCode.class);
  private final Map<Farewell, Counter> farewells = new EnumMap<>(Farewell.class);
  private final TunnelMeters tunnelMeters = new TunnelMeters();
  private final ForwardMeters forwardMeters = new ForwardMeters(registry);
  private final PrincipalMeters principalMeters = new PrincipalMeters(registry);

  /**
   * Meters that are all at zero.
   *
   * @param epochMicros microseconds since 1970, now
   */
  public ServerMeters(LongSupplier epochMicros) {
    this.epochMicros = epochMicros;
    new JvmMemoryMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    gc.bindTo(registry);
    Gauge.builder("tunnel.connections", connections, LongAdder::sum).register(registry);
    total("tunnel.net.received.bytes", received);
    total("tunnel.net.sent.bytes", sent);
    total("tunnel.delivered.bytes", delivered);
    total("tunnel.deliveries", deliveries);
    total("tunnel.delivered.rows", deliveredRows);
    for (ErrorCode code : ErrorCode.values()) {
      refusals.put(
          code, Counter.builder("tunnel.refusals").tag("code", code.name()).register(registry));
    }
    for (Farewell why : Farewell.values()) {
      farewells.put(
          why,
          Counter.builder("tunnel.net.closed")
              .description("Connections that the server closed")
              .tag("why", why.name())
              .register(registry));
    }
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  private Timer timer(String name, String description) {
    return Timer.builder(name)
        .description(description)
        .publishPercentileHistogram()
        .minimumExpectedValue(Duration.ofNanos(10_000))
        .maximumExpectedValue(Duration.ofSeconds(10))
        .register(registry);
  }

  private void total(String name, LongAdder sum) {
    FunctionCounter.builder(name, sum, LongAdder::sum).register(registry);
  }

  static double isStalled(DiskCondition condition) {
    return condition == DiskCondition.DISK_STALLED ? 1 : 0;
  }

  /** Adds the number of partitions that are read without a tunnel. */
  public void readings(Supplier<Number> count) {
    Gauge.builder("tunnel.readings", count).strongReference(true).register(registry);
  }

  /** Adds number, memory and reads of watches. */
  public void watches(Supplier<Watches.Figures> now) {
    WatchMeters.add(registry, now);
  }

  /** Meters the requests that this server sends for principals. */
  public ForwardMeter forwarding() {
    return forwardMeters;
  }

  /** Adds what forwarded requests hold. */
  public void forwarded(Supplier<Forwarder.Held> now) {
    ForwardMeters.held(registry, now);
  }

  /** Adds the throttling of channels that are far behind. */
  public void catchUp(Supplier<Rations.Figures> now) {
    CatchUpMeters.add(registry, now);
  }

  /** Adds the seconds until the server's certificate expires; NaN without one. */
  public void certificate(Supplier<Number> leftSeconds) {
    Gauge.builder("tunnel.certificate.left.seconds", leftSeconds)
        .description("Until the server's certificate expires")
        .strongReference(true)
        .register(registry);
  }

  /** Adds the state of the audit log. */
  public void audit(Supplier<AuditTrail.Figures> now) {
    audit("tunnel.audit.lines", "Lines of the audit log", now, AuditTrail.Figures::written);
    audit(
        "tunnel.audit.missing",
        "Lines that are missing in the audit log",
        now,
        AuditTrail.Figures::missing);
    Gauge.builder("tunnel.audit.failing", () -> now.get().isFailing() ? 1 : 0)
        .description("Whether the audit log cannot be written")
        .strongReference(true)
        .register(registry);
  }

  private void audit(
      String name,
      String description,
      Supplier<AuditTrail.Figures> now,
      ToLongFunction<AuditTrail.Figures> figure) {
    FunctionCounter.builder(name, now, from -> (double) figure.applyAsLong(from.get()))
        .description(description)
        .register(registry);
  }

  /** Adds the memory that clients' requests take. */
  public void held(Supplier<Held> now) {
    held(
        "tunnel.net.partial.bytes", "Memory of frames that are not whole", now, Held::partialBytes);
    held(
        "tunnel.net.requests.bytes",
        "Memory of requests that are not answered",
        now,
        Held::requestBytes);
    held(
        "tunnel.net.untaken.bytes",
        "Bytes of answers and deliveries that clients have not taken",
        now,
        Held::untakenBytes);
  }

  private void held(
      String name, String description, Supplier<Held> now, ToLongFunction<Held> figure) {
    Gauge.builder(name, () -> figure.applyAsLong(now.get()))
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  /**
   * Adds each shard's queue, disk, log and table.
   *
   * @param reservedBytes writes are refused while a shard's disk has fewer bytes left
   */
  public void watch(Shards shards, long reservedBytes) {
    int id = 0;
    for (Shard shard : shards.all()) {
      Tags tags = Tags.of("shard", Integer.toString(id++));
      Gauge.builder("tunnel.queue.bytes", shard, Shard::queuedBytes).tags(tags).register(registry);
      Gauge.builder("tunnel.shard.failed", shard, s -> s.hasFailed() ? 1 : 0)
          .tags(tags)
          .register(registry);
      Gauge.builder(
              "tunnel.disk.full", shard, s -> s.condition() == DiskCondition.DISK_FULL ? 1 : 0)
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.disk.stalled", shard, s -> isStalled(s.condition()))
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.disk.free.bytes", shard, s -> s.log().usableBytes())
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.disk.reserved.bytes", () -> reservedBytes)
          .tags(tags)
          .strongReference(true)
          .register(registry);
      Gauge.builder("tunnel.log.bytes", shard, s -> s.log().byteCount())
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.log.segments", shard, s -> s.log().segmentCount())
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.log.unsynced.bytes", shard, s -> s.log().end() - s.log().syncedOffset())
          .tags(tags)
          .register(registry);
      Gauge.builder("tunnel.fold.lag.bytes", shard, Shard::unfoldedBytes)
          .tags(tags)
          .register(registry);
      for (RocksFigure figure : RocksFigure.values()) {
        Gauge.builder(figure.meter, shard, s -> s.store().figure(figure.property))
            .tags(tags)
            .register(registry);
      }
    }
  }

  /** The registry, for further meters. */
  PrometheusMeterRegistry registry() {
    return registry;
  }

  /**
   * Replaces the figures of all tunnels that this server coordinates.
   *
   * @param channelsMax channels of tunnels with figures of their own; the first tunnels in order of
   *     table and name have them, and all others share figures
   */
  public void tunnels(List<TunnelSample> all, int channelsMax) {
    tunnelMeters.now(all, channelsMax);
  }

  /** Counts changes that tunnels lost to retention. */
  public void lost(long changes) {
    changesLost.increment((double) changes);
  }

  /** Updates the figures of principals and their quotas. */
  public void principals(PrincipalFigures figures, List<QuotaUse> quotas) {
    principalMeters.now(figures.all(), quotas);
  }

  /**
   * What was written and delivered since the start.
   *
   * @param ages how old the oldest change of each delivery was
   */
  public record Totals(
      double writtenRows,
      double writtenBytes,
      long deliveredRows,
      long deliveredBytes,
      DeliveryAges.Counts ages) {}

  /** What was written and delivered since the start. For any thread. */
  public Totals totals() {
    return new Totals(
        rowsWritten.count(),
        bytesWritten.count(),
        deliveredRows.sum(),
        delivered.sum(),
        deliveryAges.counts());
  }

  /** The sum of all gauges of a name, such as one for each shard; 0 without any. */
  public double sumOfGauges(String name) {
    return registry.find(name).gauges().stream()
        .mapToDouble(Gauge::value)
        .filter(Double::isFinite)
        .sum();
  }

  /**
   * All meters in Prometheus' text format, in pieces, each of which is valid until the next is
   * taken. Figures of tunnels are those of the last {@link #tunnels}; the caller may write the
   * pieces on another thread.
   */
  public Iterator<CharSequence> scrape() {
    Iterator<CharSequence> others = List.<CharSequence>of(registry.scrape()).iterator();
    Iterator<CharSequence> tunnels = tunnelMeters.text();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return others.hasNext() || tunnels.hasNext();
      }

      @Override
      public CharSequence next() {
        return others.hasNext() ? others.next() : tunnels.next();
      }
    };
  }

  @Override
  public void committed(int shard, long rows, long bytes, long commitNanos) {
    rowsWritten.increment((double) rows);
    bytesWritten.increment((double) bytes);
    commit.record(commitNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void folded(int shard, long foldNanos) {
    fold.record(foldNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void rejected(int shard, long rows) {
    rowsRejected.increment((double) rows);
  }

  @Override
  public void numbered(int shard, Writers.Figures figures) {
    writers.add(shard, figures);
  }

  @Override
  public void expired(int shard, long rows) {
    rowsExpired.increment((double) rows);
  }

  @Override
  public void unbound(int shard, long rows) {
    rowsUnbound.increment((double) rows);
  }

  @Override
  public void trimmed(int shard, long changes, long segments, long bytes) {
    changesTrimmed.increment((double) changes);
    segmentsDeleted.increment((double) segments);
    bytesDeleted.increment((double) bytes);
  }

  @Override
  public void connected() {
    connections.increment();
  }

  @Override
  public void disconnected() {
    connections.decrement();
  }

  @Override
  public void received(int bytes) {
    received.add(bytes);
  }

  @Override
  public void sent(int bytes) {
    sent.add(bytes);
  }

  @Override
  public void delivered(int bytes, long rows, long commitMicros) {
    delivered.add(bytes);
    deliveries.increment();
    deliveredRows.add(rows);
    if (commitMicros > 0) {
      deliveryAges.add(epochMicros.getAsLong() - commitMicros);
    }
  }

  @Override
  public void closed(Farewell why) {
    farewells.get(why).increment();
  }

  @Override
  public void refused(ErrorCode code) {
    refusals.get(code).increment();
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
