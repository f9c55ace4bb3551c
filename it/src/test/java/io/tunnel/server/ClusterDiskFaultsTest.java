package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
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
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.log.FaultyDisk;
import io.tunnel.server.log.FaultyDisk.Fault;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole nodes on a real broker. The disk of one is full, fails or hangs, while a client writes and
 * reads and a worker consumes.
 */
@Tag("proof-cluster")
class ClusterDiskFaultsTest {

  private static final String TABLE = "orders";
  private static final int PARTITIONS = 4;

  @TempDir private Path directory;

  private final FaultyDisk.Switch disks = new FaultyDisk.Switch();
  private final SeenValues consumer = new SeenValues();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<Long, Outcome> outcomes = new HashMap<>();
  private KafkaBroker broker;
  private Server first;
  private TableClient tables;
  private long next = 1;

  /** Whether a disk has failed, and not only been full. */
  private boolean hasFailed;

  @BeforeEach
  void startBroker() throws IOException {
    broker = closing(KafkaBroker.start(directory.resolve("kafka"), Map.of()));
  }

  @AfterEach
  void closeAll() throws Exception {
    disks.set(Fault.NONE);
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private <T extends AutoCloseable> T closing(T opened) {
    open.push(opened);
    return opened;
  }

  private Server node(String name, FaultyDisk.Switch logs) throws IOException {
    ClusterConfig.Log log =
        new ClusterConfig.Log(List.of(broker.bootstrap()), 1, 1, 6_000, Map.of());
    Server node =
        Server.node(
            directory.resolve(name),
            ServerConfig.defaults(2).withNet(new NetConfig("127.0.0.1", 0, 0, 1, 100, false)),
            new ClusterConfig("c", name, Optional.empty(), 1, false, log),
            logs);
    open.push(() -> close(node));
    return node;
  }

  /** A log that failed does so again when it is closed. */
  private void close(Server node) throws IOException {
    try {
      node.close();
    } catch (IOException e) {
      assertThat(hasFailed)
          .withFailMessage(() -> "only a failed disk fails a close: " + e)
          .isTrue();
      assertThat(e).hasStackTraceContaining("failed before");
    }
  }

  /** A table, rows and a worker on the first node, and on others if there are any. */
  private void begin(Server... others) {
    int port = first.localAddress().getPort();
    ClientConfig client =
        ClientConfig.of("127.0.0.1", port)
            .withRetryDeadline(Duration.ofSeconds(1))
            .withWriteRetryDeadline(Duration.ofSeconds(1))
            .withRequestDeadline(Duration.ofSeconds(30));
    ClientConfig patient = client.withRetryDeadline(Poll.LONG).withWriteRetryDeadline(Poll.LONG);
    try (TableClient admin = TableClient.connect(patient)) {
      var request = CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER);
      for (long split = 1; split < PARTITIONS; split++) {
        request.splitPoint(split);
      }
      var unused = admin.createTable(request.build());
    }
    tables = closing(TableClient.connect(client));
    TunnelClient tunnels = closing(new TunnelClient(patient));
    String tunnelId =
        tunnels
            .createTunnel(
                new CreateTunnelRequest(TABLE, "audit", TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    TunnelWorker worker =
        new TunnelWorker(
            tunnelId,
            tunnels,
            TunnelWorkerConfig.builder()
                .processor(consumer)
                .checkpointIntervalInMillis(10)
                .maxRetryIntervalInMillis(50)
                .build());
    open.push(worker::shutdown);
    worker.connectAndWorking();
    assertThat(others).allSatisfy(other -> assertThat(other.failure()).isNotDone());
    awaitWritten();
    requireAllConsumed();
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id % PARTITIONS).build();
  }

  /** Another value into the row of the next partition. */
  private RowResult write() {
    long value = next++;
    RowPutChange put =
        new RowPutChange(key(value), List.of(new Column("v", ColumnValue.fromLong(value))));
    RowResult result = tables.tryWrite(TABLE, List.of(put)).results().get(0);
    outcomes.put(value, result.outcome());
    return result;
  }

  /** Into every partition, each until it is applied. */
  private void awaitWritten() {
    for (int i = 0; i < PARTITIONS; i++) {
      Poll.until("a write that is applied", () -> write().isApplied());
    }
  }

  private Set<Long> acknowledged() {
    Set<Long> values = new TreeSet<>();
    outcomes.forEach(
        (value, outcome) -> {
          if (outcome == Outcome.APPLIED) {
            values.add(value);
          }
        });
    return values;
  }

  private void requireAllConsumed() {
    Poll.until("all is consumed", () -> consumer.seen().containsAll(acknowledged()));
    assertThat(consumer.seen())
        .allMatch(
            value ->
                outcomes.get(value) == Outcome.APPLIED || outcomes.get(value) == Outcome.IN_DOUBT);
  }

  /** Each row holds what was acknowledged last, or what is in doubt. */
  private void requireAllRead() {
    for (long id = 0; id < PARTITIONS; id++) {
      long partition = id;
      long last =
          acknowledged().stream()
              .filter(value -> value % PARTITIONS == partition)
              .max(Long::compare)
              .orElseThrow();
      long found = tables.getRow(TABLE, key(id)).orElseThrow().value("v").orElseThrow().asLong();
      assertThat(found == last || outcomes.get(found) == Outcome.IN_DOUBT)
          .as("row %d holds %d, and %d was acknowledged", id, found, last)
          .isTrue();
    }
  }

  private static HttpResponse<String> health(Server node) {
    URI uri =
        URI.create("http://127.0.0.1:" + node.httpAddress().orElseThrow().getPort() + "/health");
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void requireHealth(Server node, int code, String status) {
    Poll.until(
        Poll.LONG,
        () -> {
          HttpResponse<String> now = health(node);
          return now.statusCode() == code && now.body().contains("\"" + status + "\"");
        },
        () -> status + ", but " + health(node).body());
  }

  @Test
  void a_node_that_is_alone_refuses_writes_until_its_disk_has_room_and_goes_on_with_all_else()
      throws IOException {
    first = node("n1", disks);
    begin();
    disks.set(Fault.FULL);
    for (int i = 0; i < PARTITIONS; i++) {
      RowResult refused = write();
      assertThat(refused.outcome()).isNotIn(Outcome.APPLIED, Outcome.IN_DOUBT);
      assertThat(refused.error()).contains(ErrorCode.BUSY);
      assertThat(refused.message()).contains("disk is full").contains("shard.freeBytesMin");
    }
    requireHealth(first, 503, "DISK_FULL");
    requireAllRead();
    requireAllConsumed();
    disks.set(Fault.NONE);
    requireHealth(first, 200, "UP");
    awaitWritten();
    requireAllRead();
    requireAllConsumed();
    assertThat(outcomes.values()).doesNotContain(Outcome.IN_DOUBT);
  }

  @Test
  void a_node_whose_disk_is_full_hands_over_to_one_that_has_room() throws IOException {
    first = node("n1", disks);
    Server second = node("n2", new FaultyDisk.Switch());
    begin(second);
    disks.set(Fault.FULL);
    awaitWritten();
    requireHealth(first, 503, "DISK_FULL");
    Poll.until(
        Poll.LONG,
        () -> health(first).body().contains("\"leads\":0"),
        () -> "nothing is led by it, but " + health(first).body());
    awaitWritten();
    requireHealth(second, 200, "UP");
    requireAllRead();
    requireAllConsumed();
    disks.set(Fault.NONE);
    requireHealth(first, 200, "UP");
    awaitWritten();
    requireAllConsumed();
  }

  @Test
  void a_node_whose_disk_fails_hands_over_for_good() throws IOException {
    first = node("n1", disks);
    Server second = node("n2", new FaultyDisk.Switch());
    begin(second);
    disks.set(Fault.FAILING_WRITES);
    hasFailed = true;
    awaitWritten();
    requireHealth(first, 503, "STORAGE_FAILED");
    disks.set(Fault.NONE);
    awaitWritten();
    requireHealth(first, 503, "STORAGE_FAILED");
    requireHealth(second, 200, "UP");
    requireAllRead();
    requireAllConsumed();
  }
}
