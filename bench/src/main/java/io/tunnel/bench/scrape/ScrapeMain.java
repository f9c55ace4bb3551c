package io.tunnel.bench.scrape;

import com.sun.management.ThreadMXBean;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How long a page of metrics takes, and how many bytes of memory the server allocates for one page,
 * with many tunnels. Each tunnel has one channel with a lag of one change, in a table with a
 * retention. Server and clients share this process; the thread that reads the page does not count.
 * Arguments: a directory, which is filled unless it exists, the number of tunnels, the number of
 * pages, of which the first warms up, and a configuration file if wanted.
 */
public final class ScrapeMain {

  /** A table has 64 tunnels at most. */
  private static final int OF_TABLE = 64;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final double MIB = 1 << 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private ScrapeMain() {}

  /** Creates the tunnels, and reads the pages. */
  public static void main(String[] args) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(2);
    ServerConfig config = args.length > 3 ? defaults.withFile(Path.of(args[3])) : defaults;
    NetConfig net = config.net().at("127.0.0.1", 0, 0);
    Path directory = Path.of(args[0]);
    boolean isNew = Files.notExists(directory);
    try (Server server = Server.alone(directory, config.withNet(net))) {
      if (isNew) {
        create("127.0.0.1:" + server.localAddress().getPort(), Integer.parseInt(args[1]));
      }
      int port = server.httpAddress().orElseThrow().getPort();
      URL page = URI.create("http://127.0.0.1:" + port + "/metrics").toURL();
      for (int turn = 0; turn < Integer.parseInt(args[2]); turn++) {
        read(turn, page);
      }
    }
  }

  private static void create(String server, int tunnels) {
    TableOptions options = new TableOptions(Durability.OS).withRetention(Duration.ofHours(1));
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    RowChange row =
        new RowPutChange(
            PrimaryKey.builder().add("id", 1).build(),
            List.of(new Column("state", ColumnValue.fromLong(1))));
    try (TableClient tables = TableClient.connect(server);
        TunnelClient tunnelClient = new TunnelClient(server)) {
      for (int i = 0; i < tunnels; i++) {
        String table = "orders" + i / OF_TABLE;
        if (i % OF_TABLE == 0) {
          var unused = tables.createTable(new TableMeta(table, key, options), List.of());
        }
        var unused =
            tunnelClient.createTunnel(
                new CreateTunnelRequest(table, "audit" + i % OF_TABLE, TunnelType.Stream));
      }
      for (int table = 0; table * OF_TABLE < tunnels; table++) {
        var unused = tables.tryWrite("orders" + table, List.of(row));
      }
    }
  }

  private static void read(int turn, URL page) {
    long allocatedBefore = allocatedBytes();
    long startNanos = System.nanoTime();
    long bytes = 0;
    String end = "whole";
    try (InputStream body = page.openStream()) {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int got = body.read(buffer); got >= 0; got = body.read(buffer)) {
        bytes += got;
      }
    } catch (IOException e) {
      // The HTTP port closes a connection after 10 s.
      end = e.toString();
    }
    long nanos = System.nanoTime() - startNanos;
    System.out.printf(
        Locale.ROOT,
        "page %d  %,d bytes  %,d ms  %.1f MiB allocated  %s%n",
        turn,
        bytes,
        TimeUnit.NANOSECONDS.toMillis(nanos),
        (allocatedBytes() - allocatedBefore) / MIB,
        end);
  }

  /** Bytes allocated by all threads except the reading thread. */
  private static long allocatedBytes() {
    long sum = 0;
    long own = Thread.currentThread().getId();
    for (long id : THREADS.getAllThreadIds()) {
      sum += id == own ? 0 : Math.max(0, THREADS.getThreadAllocatedBytes(id));
    }
    return sum;
  }
}
