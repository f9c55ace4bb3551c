package io.tunnel.cli;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.TableClient;
import io.tunnel.wire.Control.TableDescription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The tables of a real server. */
record SdkTables(TableClient client) implements Tables {

  /** Retries are kept short: somebody is waiting at a terminal, and no server stays no server. */
  static final Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  static Tables connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(RETRY_DEADLINE);
    return new SdkTables(TableClient.connect(config));
  }

  @Override
  public List<String> list() {
    return client.listTables();
  }

  @Override
  public TableDescription describe(String table) {
    return client.describeTable(table);
  }

  @Override
  public TableDescription alter(String table, TableOptions options) {
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
