package io.tunnel.flink;

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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server in this process on a directory of its own, and a client of it. */
public final class LocalServer implements Closeable {

  private final Path directory;
  private final ServerConfig.LogConfig log;
  private final TableClient client;
  private TunnelServer server;
  private int port;

  /** Starts it on a free port. */
  public LocalServer() throws IOException {
    this(ServerConfig.defaults(2).log());
  }

  /** Starts it with such a log. */
  public LocalServer(ServerConfig.LogConfig log) throws IOException {
    this.log = log;
    directory = Files.createTempDirectory("tunnel-flink");
    start();
    client = TableClient.connect(endpoint());
  }

  /** Starts it, where it was if it was there before. */
  public void start() throws IOException {
    ServerConfig defaults = ServerConfig.defaults(2);
    server =
        new TunnelServer(
            directory,
            new ServerConfig(
                new NetConfig("127.0.0.1", port, 0, 1, 1_000, false),
                log,
                defaults.shard(),
                defaults.table(),
                defaults.session(),
                defaults.base()));
    port = server.localAddress().getPort();
  }

  /** Stops the server. */
  public void stop() throws IOException {
    server.close();
  }

  /** Where it listens. */
  public String endpoint() {
    return "127.0.0.1:" + port;
  }

  /** A client of it. */
  public TableClient client() {
    return client;
  }

  /** A figure of the server's, of all its labels together. */
  public double metric(String name) {
    URI metrics =
        URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort() + "/metrics");
    try (InputStream in = metrics.toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates a table whose first key column is split at these points. */
  public void create(String table, List<PrimaryKeySchema> key, PrimaryKeyValue... splitPoints) {
    var unused =
        client.createTable(
            new TableMeta(table, key, new TableOptions(Durability.OS)), List.of(splitPoints));
  }

  /** Writes rows, and requires that all are there. */
  public void write(String table, List<? extends RowChange> rows) {
    client.write(table, List.copyOf(rows));
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
