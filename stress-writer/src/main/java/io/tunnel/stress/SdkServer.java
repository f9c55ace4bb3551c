package io.tunnel.stress;

import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;

/** A real server, through the SDK. */
final class SdkServer implements LoadServer {

  private final TableClient client;
  private final List<TableWriter> writers = new ArrayList<>();

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
    TableWriter writer = client.openWriter(table, config);
    writers.add(writer);
    return new WriterSink(writer);
  }

  @Override
  public void close() {
    try {
      writers.forEach(TableWriter::close);
    } finally {
      client.close();
    }
  }
}
