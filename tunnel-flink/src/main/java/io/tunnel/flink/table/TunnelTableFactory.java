package io.tunnel.flink.table;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.table.row.TableLayout;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.LookupOptions.LookupCacheType;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.TableFactoryHelper;
import org.apache.flink.table.types.logical.RowType;

/** Finds {@code 'connector' = 'tunnel'}; Flink loads it by its name. */
public final class TunnelTableFactory
    implements DynamicTableSourceFactory, DynamicTableSinkFactory {

  /** The value of {@code 'connector'}. */
  public static final String IDENTIFIER = "tunnel";

  /** For Flink. */
  public TunnelTableFactory() {}

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(TunnelConnectorOptions.ENDPOINT, TunnelConnectorOptions.TABLE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(
        TunnelConnectorOptions.TUNNEL,
        TunnelConnectorOptions.SCAN_MODE,
        TunnelConnectorOptions.SCAN_START,
        TunnelConnectorOptions.SCAN_START_MS,
        TunnelConnectorOptions.SCAN_END,
        TunnelConnectorOptions.SCAN_END_MS,
        TunnelConnectorOptions.SCAN_CHANGELOG,
        TunnelConnectorOptions.SCAN_READER_BYTES_MAX,
        FactoryUtil.SOURCE_PARALLELISM,
        TunnelConnectorOptions.SINK_WRITE_MODE,
        TunnelConnectorOptions.SINK_BUFFER_BYTES_MAX,
        TunnelConnectorOptions.SINK_BATCH_BYTES_MAX,
        TunnelConnectorOptions.SINK_LINGER,
        TunnelConnectorOptions.SINK_DURABILITY,
        TunnelConnectorOptions.SINK_REJECTED_ROWS,
        TunnelConnectorOptions.SINK_REPEAT_ATTEMPTS_MAX,
        FactoryUtil.SINK_PARALLELISM,
        TunnelConnectorOptions.LOOKUP_ASYNC,
        LookupOptions.CACHE_TYPE,
        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS,
        LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
        LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY,
        LookupOptions.PARTIAL_CACHE_MAX_ROWS);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context declared) {
    ReadableConfig options = validated(declared);
    requireCache(options);
    return new TunnelTableSource(
        table(options),
        layout(declared),
        declared.getPhysicalRowDataType(),
        options,
        declared.getConfiguration());
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context declared) {
    ReadableConfig options = validated(declared);
    ResolvedCatalogTable table = declared.getCatalogTable();
    return new TunnelTableSink(
        table(options), table.getResolvedSchema(), layout(declared), options);
  }

  private ReadableConfig validated(Context declared) {
    TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, declared);
    helper.validate();
    return helper.getOptions();
  }

  private static TunnelOptions table(ReadableConfig options) {
    String endpoint = options.get(TunnelConnectorOptions.ENDPOINT);
    String table = options.get(TunnelConnectorOptions.TABLE);
    try {
      return new TunnelOptions(endpoint, table);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "'endpoint' = '"
              + endpoint
              + "' and 'table' = '"
              + table
              + "' name no table: "
              + e.getMessage(),
          e);
    }
  }

  private static TableLayout layout(Context declared) {
    return TableLayout.of(
        (RowType) declared.getPhysicalRowDataType().getLogicalType(),
        declared.getPrimaryKeyIndexes());
  }

  private static void requireCache(ReadableConfig options) {
    LookupCacheType cache = options.get(LookupOptions.CACHE_TYPE);
    if (cache == LookupCacheType.FULL) {
      throw new ValidationException(
          "'lookup.cache' = 'FULL' would load the whole table into every task; 'PARTIAL' keeps the"
              + " rows that are asked for, 'NONE' asks each time");
    }
    boolean hasBound =
        Optional.<Object>empty()
            .or(() -> options.getOptional(LookupOptions.PARTIAL_CACHE_MAX_ROWS))
            .or(() -> options.getOptional(LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE))
            .or(() -> options.getOptional(LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS))
            .isPresent();
    if (cache == LookupCacheType.PARTIAL && !hasBound) {
      throw new ValidationException(
          "'lookup.cache' = 'PARTIAL' needs an end: 'lookup.partial-cache.max-rows',"
              + " 'lookup.partial-cache.expire-after-write' or"
              + " 'lookup.partial-cache.expire-after-access'");
    }
  }
}
