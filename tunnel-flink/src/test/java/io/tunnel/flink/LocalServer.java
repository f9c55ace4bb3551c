package io.tunnel.flink;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.BatchWriteResult;
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

/** A server in this process on a directory of its own, and a client of it. */
public final class LocalServer implements Closeable {

  private final Path directory;
  private final TunnelServer server;
  private final TableClient client;

  /** Starts it on a free port. */
  public LocalServer() throws IOException {
    directory = Files.createTempDirectory("tunnel-flink");
    ServerConfig defaults = ServerConfig.defaults(2);
    server =
        new TunnelServer(
            directory,
            new ServerConfig(
                new NetConfig("127.0.0.1", 0, -1, 1, 1_000, false),
                defaults.log(),
                defaults.shard(),
                defaults.table(),
                defaults.session(),
                defaults.base()));
    client = TableClient.connect(endpoint());
  }

  /** Where it listens. */
  public String endpoint() {
    return "127.0.0.1:" + server.localAddress().getPort();
  }

  /** A client of it. */
  public TableClient client() {
    return client;
  }

  /** Creates a table whose first key column is split at these points. */
  public void create(String table, List<PrimaryKeySchema> key, PrimaryKeyValue... splitPoints) {
    var unused =
        client.createTable(
            new TableMeta(table, key, new TableOptions(Durability.OS)), List.of(splitPoints));
  }

  /** Writes rows, and requires that all are there. */
  public void write(String table, List<? extends RowChange> rows) {
    BatchWriteResult result = client.write(table, List.copyOf(rows));
    if (!result.allApplied()) {
      throw new AssertionError(result.toString());
    }
  }

  /** All rows of a table. */
  public List<Row> rows(String table) {
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
