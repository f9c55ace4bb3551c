package io.tunnel.flink.table;

import io.tunnel.sdk.ClientConfig;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.CatalogFactoryHelper;

/** Finds {@code 'type' = 'tunnel'}; Flink loads it by its name. */
public final class TunnelCatalogFactory implements CatalogFactory {

  /** The endpoint of the service. */
  public static final ConfigOption<String> ENDPOINT = TunnelConnectorOptions.ENDPOINT;

  /** The size of the sample for finding columns. */
  public static final ConfigOption<Integer> SAMPLE_ROWS_MAX =
      ConfigOptions.key("sample-rows-max")
          .intType()
          .defaultValue(200)
          .withDescription(
              "Rows of a table that are read to know its columns; 0 for its key alone.");

  private static final int SAMPLE_ROWS_LIMIT = 10_000;

  /** For Flink. */
  public TunnelCatalogFactory() {}

  @Override
  public String factoryIdentifier() {
    return TunnelTableFactory.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(ENDPOINT);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(SAMPLE_ROWS_MAX);
  }

  @Override
  public Catalog createCatalog(Context declared) {
    CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, declared);
    helper.validate();
    ReadableConfig options = helper.getOptions();
    int rows = options.get(SAMPLE_ROWS_MAX);
    if (rows < 0 || rows > SAMPLE_ROWS_LIMIT) {
      throw new ValidationException(
          "'sample-rows-max' is 0 to " + SAMPLE_ROWS_LIMIT + ", not " + rows);
    }
    try {
      return new TunnelCatalog(declared.getName(), ClientConfig.of(options.get(ENDPOINT)), rows);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "'endpoint' = '" + options.get(ENDPOINT) + "' is none: " + e.getMessage(), e);
    }
  }
}
