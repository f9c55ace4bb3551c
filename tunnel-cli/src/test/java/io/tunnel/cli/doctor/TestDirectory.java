package io.tunnel.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.LogConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A data directory that a real server has filled: two shards of small segments, a table, a tunnel.
 */
public final class TestDirectory {

  /** Changes of all partitions. */
  public static final int CHANGES = 6_000;

  private static final int SHARDS = 2;

  private static final int PARTITIONS = 4;
  private static final int BATCH = 100;
  private static final int KEYS = 1_500;
  private static final long SECONDS_MAX = 60;

  private TestDirectory() {}

  /** A server on a directory, with small files. */
  public static Server server(Path data) throws IOException {
    return server(data, SHARDS);
  }

  /** As {@link #server(Path)}, with that many shards. */
  static Server server(Path data, int shards) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(1);
    NetConfig net = new NetConfig("127.0.0.1", 0, -1, 1, 100, false);
    return Server.alone(
        data,
        new ServerConfig(
            net,
            new LogConfig(shards, 64 << 10, 1_000),
            defaults.shard(),
            defaults.table(),
            defaults.session(),
            defaults.base()));
  }

  /** Where its clients connect. */
  public static String endpoint(Server server) {
    return "127.0.0.1:" + server.localAddress().getPort();
  }

  /** Fills a new directory; the tunnel has processed every change. */
  public static void fill(Path data) throws Exception {
    try (Server server = server(data);
        TableClient tables = TableClient.connect(endpoint(server));
        TunnelClient tunnels = new TunnelClient(endpoint(server))) {
      List<PrimaryKeyValue> splits = new ArrayList<>();
      for (int i = 1; i < PARTITIONS; i++) {
        splits.add(PrimaryKeyValue.fromLong((long) i * KEYS / PARTITIONS));
      }
      TableMeta meta =
          new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      var unused = tables.createTable(meta, splits);
      var tunnel =
          tunnels.createTunnel(
              new CreateTunnelRequest("orders", "audit", TunnelType.Stream, StreamStart.EARLIEST));
      write(tables, 0, CHANGES);
      assertThat(consume(tunnels, tunnel.getTunnelId(), CHANGES)).isEqualTo(CHANGES);
    }
  }

  /** Writes the changes {@code [from, to)}. */
  public static void write(TableClient tables, int from, int to) {
    for (int first = from; first < to; first += BATCH) {
      List<RowChange> rows = new ArrayList<>();
      for (int i = first; i < Math.min(to, first + BATCH); i++) {
        rows.add(change(i));
      }
      assertThat(tables.write("orders", rows).allApplied()).isTrue();
    }
  }

  private static RowChange change(int i) {
    PrimaryKey key = PrimaryKey.builder().add("id", i * 7L % KEYS).build();
    ColumnValue value = ColumnValue.fromString("value of change " + i + " " + "x".repeat(40));
    if (i % 10 == 9) {
      return new RowDeleteChange(key);
    }
    return i % 3 == 0
        ? new RowUpdateChange(key, List.of(new ColumnUpdate.Put("u", value)))
        : new RowPutChange(key, List.of(new Column("v", value)));
  }

  /** Changes of a table's tunnel until {@code count} have come. */
  public static int consume(TunnelClient tunnels, String tunnelId, int count) throws Exception {
    CountDownLatch left = new CountDownLatch(count);
    TunnelWorker worker =
        new TunnelWorker(
            tunnelId,
            tunnels,
            new TunnelWorkerConfig(
                input -> input.getRecords().forEach(record -> left.countDown())));
    worker.connectAndWorking();
    boolean hasAll = left.await(SECONDS_MAX, TimeUnit.SECONDS);
    worker.shutdown();
    assertThat(hasAll).as("%d of %d changes missing", left.getCount(), count).isTrue();
    return count;
  }

  /** Copies a directory with everything in it. */
  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }
}
