package io.tunnel.cli.tables;

import io.tunnel.cli.service.Service;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;
import java.util.Optional;

/** The tables of a real server. */
record SdkTables(TableClient client) implements Tables {

  static Tables connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(Service.RETRY_DEADLINE);
    return new SdkTables(TableClient.connect(config));
  }

  @Override
  public List<String> list() {
    return client.listTables();
  }

  @Override
  public TableInfo describe(String table) {
    return client.describeTable(table);
  }

  @Override
  public TableInfo alter(String table, TableOptions options) {
    return client.alterTable(table, options);
  }

  @Override
  public void drop(String table) {
    client.dropTable(table);
  }

  @Override
  public Optional<Row> get(String table, PrimaryKey key, ReadMode mode) {
    return client.getRow(table, key, mode);
  }

  @Override
  public Iterable<Row> scan(String table, RangeQuery query) {
    return client.getRange(table, query);
  }

  @Override
  public void close() {
    client.close();
  }
}
