package io.tunnel.flink.cluster;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.ServerConfig;
import io.tunnel.server.TunnelServer;
import io.tunnel.server.net.NetConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server in this process, and a client of it. */
final class ServedTables implements Closeable {

  private final Path directory;
  private final TunnelServer server;
  private final TableClient client;

  ServedTables() throws IOException {
    directory = Files.createTempDirectory("tunnel-it-flink-data");
    NetConfig net = new NetConfig("127.0.0.1", 0, -1, 1, 1_000, false);
    server = new TunnelServer(directory, ServerConfig.defaults(2).withNet(net));
    client = TableClient.connect(endpoint());
  }

  String endpoint() {
    return "127.0.0.1:" + server.localAddress().getPort();
  }

  void create(String table, PrimaryKeySchema key, List<PrimaryKeyValue> splitPoints) {
    var unused =
        client.createTable(
            new TableMeta(table, List.of(key), new TableOptions(Durability.OS)), splitPoints);
  }

  /** Writes rows, and requires that all are there. */
  void write(String table, List<RowChange> rows) {
    client.write(table, rows);
  }

  List<Row> rows(String table) {
    List<Row> rows = new ArrayList<>();
    client.getRange(table, RangeQuery.ALL).forEach(rows::add);
    return rows;
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
