package io.tunnel.stress;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;

/** What a load needs of a server; in production the SDK's client, in tests a fake. */
interface LoadServer extends AutoCloseable {

  /** As {@link io.tunnel.sdk.TableClient#describeTable}. */
  TableInfo describeTable(String table);

  /** As {@link io.tunnel.sdk.TableClient#createTable}. */
  TableInfo createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints);

  /** Opens a buffered writer. */
  RowSink openWriter(String table, TableWriterConfig config);

  /** Closes the writers, then the connection. */
  @Override
  void close();
}
