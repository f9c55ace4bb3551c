package io.tunnel.partition.tool;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.List;

/** The tables of a real server. */
record SdkPartitionTables(TableClient client) implements PartitionTables {

  /** Retries are kept short: somebody is waiting at a terminal, and no server stays no server. */
  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  static PartitionTables connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(RETRY_DEADLINE);
    return new SdkPartitionTables(TableClient.connect(config));
  }

  @Override
  public TableInfo create(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    return client.createTable(meta, splitPoints);
  }

  @Override
  public TableInfo describe(String table) {
    return client.describeTable(table);
  }

  @Override
  public void close() {
    client.close();
  }
}
