package io.tunnel.partition.tool;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;

/** The tables of a server, as far as they are created and described here. */
interface PartitionTables extends AutoCloseable {

  /**
   * Creates a table.
   *
   * @throws io.tunnel.model.RefusedException with TABLE_EXISTS when there is one of that name
   */
  TableInfo create(TableMeta meta, List<PrimaryKeyValue> splitPoints);

  /**
   * A table as it is now.
   *
   * @throws io.tunnel.model.RefusedException with TABLE_NOT_FOUND when there is none
   */
  TableInfo describe(String table);

  @Override
  void close();

  /** Reaches the server at an endpoint. */
  @FunctionalInterface
  interface Connector {
    PartitionTables connect(String endpoint);
  }
}
