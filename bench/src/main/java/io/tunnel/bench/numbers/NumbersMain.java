package io.tunnel.bench.numbers;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a numbered batch costs beside a plain one: puts of one client, one batch after the other, in
 * turns at a server of level 1, where batches have no numbers, and at a server of this build's
 * level; with the processor time of server and client together, which share this process.
 * Arguments: an empty directory, the number of rows, the number of turns; the first turn warms up.
 */
public final class NumbersMain implements AutoCloseable {

  private static final String TABLE = "orders";
  private static final int SHARDS = 2;
  private static final List<Integer> BATCH_ROWS = List.of(1, 10, 1_000);

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final String name;
  private final Server server;
  private final TableClient tables;

  private NumbersMain(String name, Path directory) throws IOException {
    this.name = name;
    ServerConfig defaults = ServerConfig.defaults(SHARDS);
    ServerConfig config =
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 1_000, false),
            defaults.log(),
            defaults.shard(),
            defaults.table(),
            defaults.session(),
            defaults.base());
    server = Server.alone(directory, config);
    tables = TableClient.connect("127.0.0.1:" + server.localAddress().getPort());
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    var unused =
        tables.createTable(new TableMeta(TABLE, key, new TableOptions(Durability.OS)), List.of());
  }

  /** Runs the turns. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    Path first = Files.createDirectories(directory.resolve("plain"));
    // As release 0.1.0 leaves it: without a level, which is level 1.
    Files.writeString(first.resolve("FORMAT"), "{\"format\":2,\"shards\":" + SHARDS + "}");
    try (NumbersMain plain = new NumbersMain("plain", first);
        NumbersMain numbered = new NumbersMain("numbered", directory.resolve("numbered"))) {
      int rows = Integer.parseInt(args[1]);
      for (int turn = 0; turn < Integer.parseInt(args[2]); turn++) {
        for (int batchRows : BATCH_ROWS) {
          // A server folds and compacts late, at the cost of the next turn: the order changes.
          (turn % 2 == 0 ? plain : numbered).turn(turn, batchRows, rows);
          (turn % 2 == 0 ? numbered : plain).turn(turn, batchRows, rows);
        }
      }
    }
  }

  private void turn(int turn, int batchRows, int rows) {
    // Small batches take longer for each row.
    int count = rows * batchRows / (batchRows + 20);
    long before = system.getProcessCpuTime();
    long began = System.nanoTime();
    for (int from = 0; from < count; from += batchRows) {
      tables.write(TABLE, batch(from, batchRows));
    }
    long wall = System.nanoTime() - began;
    long cpu = system.getProcessCpuTime() - before;
    System.out.printf(
        Locale.ROOT,
        "turn %d  %-9s batches of %,5d  %,9d rows  %8.3f us of processor time a batch, %8.3f us in all%n",
        turn,
        name,
        batchRows,
        count,
        cpu / 1_000.0 * batchRows / count,
        wall / 1_000.0 * batchRows / count);
  }

  private static List<RowChange> batch(int from, int count) {
    List<RowChange> batch = new ArrayList<>(count);
    for (int id = from; id < from + count; id++) {
      batch.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", id).build(),
              List.of(
                  new Column("state", ColumnValue.fromLong(id)),
                  new Column("note", ColumnValue.fromString("as it was ordered, number " + id)))));
    }
    return batch;
  }

  @Override
  public void close() throws IOException {
    try (server) {
      tables.close();
    }
  }
}
