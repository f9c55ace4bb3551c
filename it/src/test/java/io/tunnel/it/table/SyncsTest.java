package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.model.Durability;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing that was promised to be durable is said before the operating system was asked to make it
 * so. The server is the one that ships; what it asked is known from the JVM's own records, and of
 * the catalog from RocksDB's.
 */
class SyncsTest {

  private static final int SEGMENT_BYTES = 64 << 10;

  @TempDir private Path directory;

  private final Forces forces = new Forces();
  private Server server;
  private RawClient client;

  private Path data() {
    return directory.resolve("above/data");
  }

  private void start() throws IOException {
    start(SEGMENT_BYTES);
  }

  private void start(int segmentBytesMax) throws IOException {
    ServerConfig usual = ServerConfig.defaults(1);
    ServerConfig config =
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 100, false),
            new ServerConfig.LogConfig(1, segmentBytesMax, 100),
            usual.shard(),
            new TableStoreConfig(1 << 20, 1 << 20, 1),
            usual.session(),
            usual.base());
    server = Server.alone(data(), config);
    client = RawClient.greeted(server.localAddress().getPort());
  }

  @AfterEach
  void stop() throws IOException {
    forces.close();
    if (server != null) {
      client.close();
      server.close();
    }
  }

  private TableDescription create(String name, TableOptions options) {
    TableMeta meta = new TableMeta(name, new TestTable(name, 1).meta().primaryKey(), options);
    return client.request(
        Operation.CREATE_TABLE, new Control.CreateTable(meta, List.of()), TableDescription.class);
  }

  private void write(TableDescription table, int row, int bytes) {
    Column value = new Column("v", ColumnValue.fromString("v".repeat(bytes)));
    RowPutChange put = new RowPutChange(TestTable.key(row, "row"), List.of(value));
    int partition = table.partitions().get(0).id();
    assertThat(
            client.request(
                Operation.WRITE,
                RawWrite.payload(table.meta(), table.tableId(), partition, List.of(put))))
        .isNotEmpty();
  }

  private String log(String file) {
    return data().resolve("shard-0/log").resolve(file).toString();
  }

  private List<String> files(String suffix) {
    try (Stream<Path> files = Files.list(data().resolve("shard-0/log"))) {
      return files.map(Path::toString).filter(file -> file.endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_first_start_makes_every_name_durable_from_the_top_down() throws IOException {
    forces.moment("begun");
    start();
    forces.moment("started");
    List<String> forced = forces.seen().between("begun", "started");
    assertThat(forced)
        .contains(
            directory.toString(),
            directory.resolve("above").toString(),
            data().toString(),
            data().resolve("FORMAT.next").toString(),
            data().resolve("shard-0").toString(),
            data().resolve("shard-0/log").toString(),
            log("00000000000000000000.log"));
    assertThat(forced.lastIndexOf(data().toString()))
        .as("the names of catalog and shard, behind the content of FORMAT")
        .isGreaterThan(forced.indexOf(data().resolve("FORMAT.next").toString()));
    assertThat(forced).filteredOn(data().resolve("shard-0").toString()::equals).hasSize(2);
    assertThat(forced.indexOf(directory.toString()))
        .isLessThan(forced.indexOf(data().resolve("FORMAT.next").toString()));
  }

  @Test
  void a_write_is_acknowledged_behind_a_sync_of_its_segment() throws IOException {
    start();
    TableDescription synced = create("synced", new TableOptions(Durability.FSYNC));
    TableDescription quick = create("quick", new TableOptions(Durability.OS));
    for (int i = 0; i < 5; i++) {
      forces.moment("asked " + i);
      write(synced, i, 10);
      forces.moment("acknowledged " + i);
    }
    forces.moment("asked OS");
    write(quick, 1, 10);
    forces.moment("acknowledged OS");
    Forces.Seen seen = forces.seen();
    for (int i = 0; i < 5; i++) {
      assertThat(seen.between("asked " + i, "acknowledged " + i))
          .contains(log("00000000000000000000.log"));
    }
    assertThat(seen.between("asked OS", "acknowledged OS")).isEmpty();
  }

  /**
   * Nothing in a new file counts before the file's name and all that comes before it are durable.
   */
  @Test
  void a_segment_that_is_full_and_the_one_behind_it_are_durable_before_the_next_write()
      throws IOException {
    start();
    TableDescription table = create("t", new TableOptions(Durability.OS));
    write(table, 1, SEGMENT_BYTES);
    assertThat(files(".log")).hasSize(1);
    forces.moment("asked");
    write(table, 2, 10);
    forces.moment("acknowledged");
    List<String> segments = files(".log");
    assertThat(segments).hasSize(2);
    String names = data().resolve("shard-0/log").toString();
    assertThat(forces.seen().between("asked", "acknowledged"))
        .containsSubsequence(
            segments.get(0), log("00000000000000000000.index.next"), names, segments.get(1), names);
  }

  @Test
  void what_is_given_up_is_durable_before_its_files_are_deleted() throws IOException {
    start();
    TableDescription table = create("t", new TableOptions(Durability.OS, 0, 1_000));
    forces.moment("begun");
    for (int i = 0; i < 4; i++) {
      write(table, i, SEGMENT_BYTES);
    }
    Poll.until("files are deleted", () -> !files(".log").contains(log("00000000000000000000.log")));
    forces.moment("deleted");
    assertThat(forces.seen().between("begun", "deleted"))
        .containsSubsequence(log("trimmed.next"), data().resolve("shard-0/log").toString());
  }

  /** A buffer that is full becomes a file by itself, on a thread of RocksDB's own. */
  @Test
  void rows_become_a_file_behind_a_sync_of_the_log() throws IOException {
    start(64 << 20);
    TableDescription table = create("t", new TableOptions(Durability.OS));
    forces.moment("begun");
    for (int i = 0; tables().isEmpty(); i++) {
      assertThat(i).as("writes until a buffer is full").isLessThan(1_000);
      write(table, i, 10_000);
    }
    forces.moment("on disk");
    // No write asked for a sync, and no segment was full.
    assertThat(forces.seen().between("begun", "on disk")).contains(log("00000000000000000000.log"));
  }

  private List<Path> tables() {
    try (Stream<Path> files = Files.list(data().resolve("shard-0/table"))) {
      return files.filter(file -> file.toString().endsWith(".sst")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void each_change_of_the_catalog_and_each_checkpoint_is_answered_behind_a_sync()
      throws IOException {
    start();
    long before = catalogSyncs();
    TableDescription table = create("t", new TableOptions(Durability.FSYNC));
    before = requireSynced("a table", before);
    String tunnelId =
        client
            .request(
                Operation.CREATE_TUNNEL,
                new Control.CreateTunnel("t", "audit", TunnelType.Stream, StreamStart.EARLIEST),
                Control.TunnelInfo.class)
            .tunnelId();
    before = requireSynced("a tunnel", before);
    assertThat(before).isEqualTo(catalogSyncs());
    write(table, 1, 10);
    var unused =
        client.request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "raw", 60_000, 0),
            SessionControl.SessionOpened.class);
    Assignment held = Json.decode(client.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
    client.credit(held, 1 << 20);
    var unusedDelivery = client.awaitPush(Operation.DELIVER);
    before = catalogSyncs();
    var unusedAnswer =
        client.request(
            Operation.CHECKPOINT, new Checkpoint(held.handle(), held.epoch(), 1).encode());
    before = requireSynced("a checkpoint", before);
    var unusedDrop = client.request(Operation.DROP_TABLE, Json.encode(new Control.TableName("t")));
    before = requireSynced("a drop", before);
    assertThat(before).isEqualTo(catalogSyncs());
  }

  private long requireSynced(String what, long before) throws IOException {
    long now = catalogSyncs();
    assertThat(now).as("syncs of the catalog behind the answer to %s", what).isGreaterThan(before);
    return now;
  }

  private long catalogSyncs() throws IOException {
    URI uri =
        URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort() + "/metrics");
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith("tunnel_catalog_syncs_total"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .findFirst()
          .orElseThrow();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
