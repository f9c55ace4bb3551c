package io.tunnel.partition.tool;

import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.TableMeta;
import io.tunnel.sdk.TableClient;
import io.tunnel.wire.Control.TableDescription;
import java.util.List;

/** The tables of a real server. */
record SdkPartitionTables(TableClient client) implements PartitionTables {

  static PartitionTables connect(String endpoint) {
    return new SdkPartitionTables(TableClient.connect(endpoint));
  }

  @Override
  public TableDescription create(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    return client.createTable(meta, splitPoints);
  }

  @Override
  public TableDescription describe(String table) {
    return client.describeTable(table);
  }

  @Override
  public void close() {
    client.close();
  }
}
