package io.tunnel.it.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.ToStringConsumer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitStrategy;

/** The image as it is run without any option: one closed server with its own storage. */
@Tag("proof-containers")
class ServerImageTest {

  private static final int PORT = 7650;
  private static final Set<PosixFilePermission> OWNER_ALONE =
      PosixFilePermissions.fromString("rw-------");
  private static final String AUTHORITY = "/data/security/authority.crt";
  private static final WaitStrategy LISTENS = Wait.forLogMessage("http on .*\\n", 1);
  private static final int ROWS = 1_000;
  private static final int STOP_SECONDS_MAX = 10;

  @TempDir private Path outside;

  private final String volume = "tunnel-it-" + UUID.randomUUID();
  private final List<GenericContainer<?>> containers = new ArrayList<>();

  @BeforeAll
  static void needs_an_engine() {
    Engine.require();
  }

  @AfterEach
  void nothing_is_left() {
    containers.forEach(GenericContainer::stop);
    if (!containers.isEmpty()) {
      Engine.removeVolume(volume);
    }
  }

  private GenericContainer<?> start(WaitStrategy ready) {
    GenericContainer<?> container = Engine.container().withExposedPorts(PORT);
    Engine.publishOnLoopback(container);
    Engine.keepData(container, volume);
    containers.add(container);
    container.waitingFor(Engine.inTime(ready)).start();
    return container;
  }

  /** Makes what a closed server needs, as an operator does, in the volume of the data. */
  private void makeKeys() {
    GenericContainer<?> init =
        Engine.container()
            .withCommand("security", "init", "--dir", "/data/security", "--name", "localhost");
    Engine.keepData(init, volume);
    containers.add(init);
    init.withStartupCheckStrategy(new OneShotStartupCheckStrategy()).start();
  }

  /** The administrator's, who reaches the server from here. */
  private String endpoint(GenericContainer<?> container) throws IOException {
    Path profile = outside.resolve("admin.json");
    container.copyFileFromContainer("/data/security/admin.json", profile.toString());
    var unused = Files.setPosixFilePermissions(profile, OWNER_ALONE);
    return "profile:" + profile + "@" + Engine.endpoint(container, PORT);
  }

  @Test
  void without_keys_it_says_how_they_are_made_and_opens_nothing() {
    ToStringConsumer printed = new ToStringConsumer();
    GenericContainer<?> container =
        Engine.container()
            .withLogConsumer(printed)
            .withStartupCheckStrategy(new OneShotStartupCheckStrategy());
    Engine.keepData(container, volume);
    containers.add(container);
    assertThatThrownBy(container::start).as("exit code other than 0").isNotNull();
    assertThat(printed.toUtf8String()).contains("security init --dir /data/security");
  }

  @Test
  void it_becomes_healthy_and_is_not_root() throws Exception {
    makeKeys();
    GenericContainer<?> server = start(Wait.forHealthcheck());

    assertThat(server.execInContainer("id", "-u").getStdout().strip()).isEqualTo("7650");
    assertThat(
            server
                .execInContainer("/opt/tunnel/tunnel", "health", "--authority", AUTHORITY)
                .getExitCode())
        .isZero();
    assertThat(server.execInContainer("/opt/tunnel/tunnel", "health").getExitCode())
        .as("exit code of a question without TLS")
        .isEqualTo(69);
    assertThat(
            server
                .execInContainer("/opt/tunnel/tunnel", "health", "--http", "127.0.0.1:9")
                .getExitCode())
        .as("exit code when nobody listens")
        .isEqualTo(69);
    assertThat(server.execInContainer("touch", "/opt/tunnel/lib/x").getExitCode())
        .as("nothing of the program can be changed by it")
        .isNotZero();
  }

  @Test
  void what_was_written_is_consumed_outside_and_is_there_in_the_next_container() throws Exception {
    makeKeys();
    GenericContainer<?> first = start(LISTENS);
    try (TableClient tables = TableClient.connect(endpoint(first));
        TunnelClient tunnels = new TunnelClient(endpoint(first))) {
      TableMeta orders =
          new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      var unused = tables.createTable(orders, List.of());
      tables.write("orders", rows());
      assertThat(consumed(tunnels, "before")).isEqualTo(ROWS);
    }
    assertThat(Engine.stop(first, STOP_SECONDS_MAX))
        .as("exit code after SIGTERM; 137 is SIGKILL after %d s", STOP_SECONDS_MAX)
        .isZero();
    assertThat(first.getLogs()).contains("stopping");

    GenericContainer<?> second = start(LISTENS);
    try (TableClient tables = TableClient.connect(endpoint(second));
        TunnelClient tunnels = new TunnelClient(endpoint(second))) {
      PrimaryKey last = PrimaryKey.builder().add("id", ROWS - 1).build();
      assertThat(tables.getRow("orders", last)).isPresent();
      assertThat(consumed(tunnels, "after")).isEqualTo(ROWS);
    }
  }

  private static List<RowChange> rows() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", i).build(),
              List.of(new Column("v", ColumnValue.fromLong(i)))));
    }
    return rows;
  }

  /** How many changes a new tunnel delivers, at most as many as there are. */
  private static int consumed(TunnelClient tunnels, String tunnel) throws InterruptedException {
    String id =
        tunnels
            .createTunnel(
                new CreateTunnelRequest("orders", tunnel, TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    BlockingQueue<Integer> inputs = new LinkedBlockingQueue<>();
    TunnelWorker worker =
        new TunnelWorker(id, tunnels, new TunnelWorkerConfig(new Counting(inputs)));
    worker.connectAndWorking();
    int count = 0;
    while (count < ROWS) {
      Integer more = inputs.poll(60, TimeUnit.SECONDS);
      if (more == null) {
        break;
      }
      count += more;
    }
    worker.shutdown();
    return count;
  }

  private record Counting(BlockingQueue<Integer> inputs) implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {
      inputs.add(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }
}
