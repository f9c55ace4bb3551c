package io.tunnel.bench.writes;

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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * What numbered and atomic batches cost beside plain ones: puts of one client, one batch after the
 * other, in turns at a server of level 1, where batches have no numbers, and at a server of this
 * build's level, where all batches are numbered; with the processor time of server and client
 * together, which share this process. Arguments: an empty directory, the number of rows, the number
 * of turns; the first turn warms up.
 */
public final class WriteCostsMain {

  private static final String TABLE = "orders";
  private static final int SHARDS = 2;
  private static final List<Integer> BATCH_ROWS = List.of(1, 10, 1_000);

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private WriteCostsMain() {}

  /**
   * A way to write a batch.
   *
   * @param name as it is printed
   * @param write writes a batch and waits for its answer
   */
  private record Kind(String name, Consumer<List<RowChange>> write) {

    void turn(int turn, int batchRows, int rows) {
      // Small batches take longer for each row.
      int count = rows * batchRows / (batchRows + 20);
      long before = SYSTEM.getProcessCpuTime();
      long began = System.nanoTime();
      for (int from = 0; from < count; from += batchRows) {
        write.accept(batch(from, batchRows));
      }
      long wall = System.nanoTime() - began;
      long cpu = SYSTEM.getProcessCpuTime() - before;
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
  }

  /** Runs the turns. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    int rows = Integer.parseInt(args[1]);
    int turns = Integer.parseInt(args[2]);
    Path first = Files.createDirectories(directory.resolve("plain"));
    // As release 0.1.0 leaves it: without a level, which is level 1.
    Files.writeString(first.resolve("FORMAT"), "{\"format\":2,\"shards\":" + SHARDS + "}");
    try (Server former = Server.alone(first, config());
        TableClient plain = client(former);
        Server server = Server.alone(directory.resolve("numbered"), config());
        TableClient numbered = client(server)) {
      List<Kind> kinds = new ArrayList<>();
      kinds.add(new Kind("plain", batch -> plain.write(TABLE, batch)));
      kinds.add(new Kind("numbered", batch -> numbered.write(TABLE, batch)));
      kinds.add(new Kind("atomic", batch -> numbered.writeAtomically(TABLE, batch)));
      for (int turn = 0; turn < turns; turn++) {
        for (int batchRows : BATCH_ROWS) {
          for (Kind kind : kinds) {
            kind.turn(turn, batchRows, rows);
          }
        }
        // A server folds and compacts late, at the cost of the next kind: the order changes.
        Collections.reverse(kinds);
      }
    }
  }

  private static ServerConfig config() {
    ServerConfig defaults = ServerConfig.defaults(SHARDS);
    return new ServerConfig(
        new NetConfig("127.0.0.1", 0, 0, 1, 1_000, false),
        defaults.log(),
        defaults.shard(),
        defaults.table(),
        defaults.session(),
        defaults.base());
  }

  private static TableClient client(Server server) {
    TableClient tables = TableClient.connect("127.0.0.1:" + server.localAddress().getPort());
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    var unused =
        tables.createTable(new TableMeta(TABLE, key, new TableOptions(Durability.OS)), List.of());
    return tables;
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
}
