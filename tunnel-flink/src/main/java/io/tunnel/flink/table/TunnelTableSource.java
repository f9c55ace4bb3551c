package io.tunnel.flink.table;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.table.TableScan.Wanted;
import io.tunnel.flink.table.lookup.AsyncLookup;
import io.tunnel.flink.table.lookup.RowLookup;
import io.tunnel.flink.table.lookup.SyncLookup;
import io.tunnel.flink.table.row.TableLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.LookupOptions.LookupCacheType;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.connector.source.lookup.cache.LookupCache;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** A table for scans and lookups of SQL, with the requests of the planner. */
final class TunnelTableSource
    implements ScanTableSource,
        LookupTableSource,
        SupportsProjectionPushDown,
        SupportsReadingMetadata,
        SupportsLimitPushDown,
        SupportsWatermarkPushDown,
        SupportsSourceWatermark {

  private final TunnelOptions table;
  private final TableLayout stored;
  private final ReadableConfig options;
  private final ReadableConfig session;
  private final ScanPlan plan;

  /** The indexes of the queried columns, in order. */
  private List<Integer> projected;

  private Wanted wanted;

  TunnelTableSource(
      TunnelOptions table,
      TableLayout stored,
      DataType produced,
      ReadableConfig options,
      ReadableConfig session) {
    this.table = table;
    this.stored = stored;
    this.options = options;
    this.session = session;
    this.plan = ScanPlan.of(options, session, !stored.keyIndexes().isEmpty());
    this.projected = new ArrayList<>();
    for (int i = 0; i < stored.fields().size(); i++) {
      projected.add(i);
    }
    this.wanted = Wanted.all(produced);
  }

  @Override
  public ChangelogMode getChangelogMode() {
    if (plan.mode() == ScanMode.BASE) {
      return ChangelogMode.insertOnly();
    }
    return switch (plan.changelog()) {
      case FULL -> ChangelogMode.all();
      case UPSERT -> ChangelogMode.upsert();
      case APPEND -> ChangelogMode.insertOnly();
    };
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projectedFields, DataType producedDataType) {
    projected = new ArrayList<>();
    Arrays.stream(projectedFields).forEach(path -> projected.add(path[0]));
    wanted = wanted.withType(producedDataType);
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return Metadata.all();
  }

  @Override
  public void applyReadableMetadata(List<String> metadataKeys, DataType producedDataType) {
    wanted = wanted.withMetadata(Metadata.ofKeys(metadataKeys)).withType(producedDataType);
  }

  @Override
  public void applyLimit(long limit) {
    wanted = wanted.withLimit(limit);
  }

  @Override
  public void applyWatermark(WatermarkStrategy<RowData> watermarkStrategy) {
    wanted = wanted.withWatermarks(watermarkStrategy);
  }

  @Override
  public void applySourceWatermark() {
    // Commit times rise inside a partition, and a record's timestamp is its commit time.
    WatermarkStrategy<RowData> commitTimes = WatermarkStrategy.forMonotonousTimestamps();
    wanted = wanted.withWatermarks(WatermarkOptions.apply(commitTimes, options, session));
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext planning) {
    return new TableScan(table, stored, List.copyOf(projected), plan, wanted)
        .provider(planning, options, session);
  }

  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext planning) {
    if (!wanted.metadata().isEmpty()) {
      throw new ValidationException(
          "a lookup join finds rows as they are now, and no metadata of changes: "
              + wanted.metadata());
    }
    List<Integer> known = Arrays.stream(planning.getKeys()).map(path -> path[0]).toList();
    List<String> key =
        stored.keyIndexes().stream().map(index -> stored.fields().get(index).name()).toList();
    RowLookup rows = new RowLookup(table, stored.project(projected), known, key);
    boolean isAsync = options.get(TunnelConnectorOptions.LOOKUP_ASYNC);
    if (options.get(LookupOptions.CACHE_TYPE) == LookupCacheType.NONE) {
      return isAsync
          ? AsyncLookupFunctionProvider.of(new AsyncLookup(rows))
          : LookupFunctionProvider.of(new SyncLookup(rows));
    }
    LookupCache cache = DefaultLookupCache.fromConfig(options);
    return isAsync
        ? PartialCachingAsyncLookupProvider.of(new AsyncLookup(rows), cache)
        : PartialCachingLookupProvider.of(new SyncLookup(rows), cache);
  }

  @Override
  public DynamicTableSource copy() {
    TunnelTableSource copy = new TunnelTableSource(table, stored, wanted.type(), options, session);
    copy.projected = projected;
    copy.wanted = wanted;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "table '" + table.table() + "' of the tunnel service at " + table.endpoint();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TunnelTableSource that
        && table.equals(that.table)
        && stored.equals(that.stored)
        && plan.equals(that.plan)
        && projected.equals(that.projected)
        && wanted.equals(that.wanted);
  }

  @Override
  public int hashCode() {
    return Objects.hash(table, stored, plan, projected);
  }
}
