package io.tunnel.stress;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;

/** A real server, through the SDK. */
final class SdkServer implements LoadServer {

  private final TableClient client;

  SdkServer(ClientConfig config) {
    client = TableClient.connect(config);
  }

  @Override
  public TableInfo describeTable(String table) {
    return client.describeTable(table);
  }

  @Override
  public TableInfo createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    return client.createTable(meta, splitPoints);
  }

  @Override
  public RowSink openWriter(String table, TableWriterConfig config) {
    return new WriterSink(client.openWriter(table, config));
  }

  @Override
  public void close() {
    client.close();
  }
}
