package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.log.FaultyDisk;
import io.tunnel.server.log.FaultyDisk.Fault;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.partition.ShardConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A whole server whose log's disk is full, fails or hangs, with a client that writes and reads and
 * a worker that consumes. The disks of table and catalog are well.
 */
@Tag("proof-service")
class DiskFaultsTest {

  private static final String TABLE = "orders";

  @TempDir private Path data;

  private final FaultyDisk.Switch disks = new FaultyDisk.Switch();
  private final SeenValues consumer = new SeenValues();

  /** What was acknowledged, and what may or may not have been written. */
  private final Set<Long> acknowledged = new TreeSet<>();

  private final Set<Long> inDoubt = new TreeSet<>();

  private Server server;
  private TableClient tables;
  private TunnelClient tunnels;
  private TunnelWorker worker;
  private long next = 1;

  private void start() throws IOException {
    ServerConfig usual = ServerConfig.defaults(1);
    ShardConfig withoutReserve = new ShardConfig(1 << 20, 128 << 10, 64L << 20, 0);
    ServerConfig config =
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 100, false),
            usual.log(),
            withoutReserve,
            usual.table(),
            usual.session(),
            usual.base());
    server = Server.alone(data, config, disks);
    ClientConfig client =
        ClientConfig.of("127.0.0.1", server.localAddress().getPort())
            .withRetryDeadline(Duration.ofMillis(200))
            .withWriteRetryDeadline(Duration.ofMillis(200));
    tables = TableClient.connect(client);
    tunnels = new TunnelClient(client);
  }

  @BeforeEach
  void begin() throws IOException {
    start();
    var unused =
        tables.createTable(
            new TableMeta(TABLE, List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
    String tunnelId =
        tunnels
            .createTunnel(
                new CreateTunnelRequest(TABLE, "audit", TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    consume(tunnelId);
    write(20);
    requireAllConsumed();
  }

  private void consume(String tunnelId) {
    worker =
        new TunnelWorker(
            tunnelId,
            tunnels,
            TunnelWorkerConfig.builder()
                .processor(consumer)
                .checkpointIntervalInMillis(10)
                .maxRetryIntervalInMillis(50)
                .build());
    worker.connectAndWorking();
  }

  @AfterEach
  void end() throws IOException {
    disks.set(Fault.NONE);
    stop();
  }

  private void stop() throws IOException {
    worker.shutdown();
    tunnels.close();
    tables.close();
    try {
      server.close();
    } catch (IOException e) {
      assertThat(e).hasStackTraceContaining("failed before");
    }
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private CompletableFuture<RowResult> begin(long id) {
    RowPutChange put =
        new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(id))));
    return tables
        .tryWriteAsync(TABLE, List.of(put))
        .thenApply(result -> note(id, result.results().get(0)));
  }

  private synchronized RowResult note(long id, RowResult result) {
    if (result.outcome() == Outcome.APPLIED) {
      acknowledged.add(id);
    } else if (result.outcome() == Outcome.IN_DOUBT) {
      inDoubt.add(id);
    }
    return result;
  }

  private void write(int rows) {
    List<CompletableFuture<RowResult>> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(begin(next++));
    }
    all.forEach(row -> assertThat(row.join().outcome()).isEqualTo(Outcome.APPLIED));
  }

  private void requireAllConsumed() {
    Poll.until("all is consumed", () -> consumer.seen().containsAll(acknowledged));
  }

  private void requireAllRead() {
    for (long id : acknowledged) {
      assertThat(tables.getRow(TABLE, key(id))).as("row %d", id).isPresent();
    }
  }

  private HttpResponse<String> health() {
    URI uri =
        URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort() + "/health");
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void requireHealth(int code, String status) {
    Poll.until(
        Poll.LONG,
        () -> {
          HttpResponse<String> now = health();
          return now.statusCode() == code && now.body().contains("\"" + status + "\"");
        },
        () -> status + ", but " + health().body());
  }

  @Test
  void a_full_disk_refuses_writes_with_the_reason_until_there_is_room() throws Exception {
    disks.set(Fault.FULL);
    for (int i = 0; i < 3; i++) {
      RowResult refused = begin(next++).join();
      assertThat(refused.outcome()).isNotIn(Outcome.APPLIED, Outcome.IN_DOUBT);
      assertThat(refused.error()).contains(ErrorCode.BUSY);
      assertThat(refused.message()).contains("disk is full").contains("No space left");
    }
    requireHealth(503, "DISK_FULL");
    requireAllRead();
    requireAllConsumed();
    disks.set(Fault.NONE);
    requireHealth(200, "UP");
    write(20);
    requireAllConsumed();
    restart();
    assertThat(inDoubt).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"FAILING_WRITES", "FAILING_SYNCS"})
  void a_disk_that_fails_stops_writes_and_neither_reads_nor_deliveries(Fault fault)
      throws Exception {
    disks.set(fault);
    RowResult lost = begin(next++).join();
    assertThat(lost.outcome()).isEqualTo(Outcome.IN_DOUBT);
    assertThat(lost.error()).contains(ErrorCode.STORAGE_FAILED);
    assertThat(lost.message()).contains("Input/output error");
    // What failed once is not trusted again, although the disk seems to be well.
    disks.set(Fault.NONE);
    assertThat(begin(next++).join().error()).contains(ErrorCode.STORAGE_FAILED);
    requireHealth(503, "STORAGE_FAILED");
    requireAllRead();
    requireAllConsumed();
    restart();
    requireHealth(200, "UP");
    write(20);
    requireAllConsumed();
    assertThat(consumer.seen()).allMatch(id -> acknowledged.contains(id) || inDoubt.contains(id));
  }

  /** Of a read that has to wait for a group that is written, nothing is promised. */
  @Test
  void a_disk_that_hangs_holds_writes_up_and_deliveries_go_on() throws Exception {
    worker.shutdown();
    write(20);
    disks.set(Fault.HANGING_SYNCS);
    CompletableFuture<RowResult> held = begin(next++);
    requireHealth(503, "DISK_STALLED");
    assertThat(held).isNotDone();
    consume(
        tunnels
            .describeTunnel(new DescribeTunnelRequest(TABLE, "audit"))
            .getTunnelInfo()
            .getTunnelId());
    requireAllConsumed();
    assertThat(held).isNotDone();
    disks.set(Fault.NONE);
    assertThat(held.join().outcome()).isEqualTo(Outcome.APPLIED);
    requireHealth(200, "UP");
    requireAllConsumed();
    requireAllRead();
  }

  /** On the directory as it is, with a disk that is well. */
  private void restart() throws IOException {
    String tunnelId =
        tunnels
            .describeTunnel(new DescribeTunnelRequest(TABLE, "audit"))
            .getTunnelInfo()
            .getTunnelId();
    stop();
    start();
    consume(tunnelId);
    requireAllRead();
    requireAllConsumed();
  }
}
