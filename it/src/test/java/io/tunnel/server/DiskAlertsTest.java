package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.monitoring.AlertRules;
import io.tunnel.it.monitoring.PrometheusProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.log.FaultyDisk;
import io.tunnel.server.log.FaultyDisk.Fault;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Alerts of disks, evaluated by a real Prometheus: a disk gets full, and fails. */
@Tag("proof-monitoring")
class DiskAlertsTest {

  private static final Map<String, String> DISK = Map.of("instance", "disk", "shard", "0");

  @RegisterExtension final Stage stage = new Stage();
  @TempDir private Path data;

  private final FaultyDisk.Switch disks = new FaultyDisk.Switch();
  private final TestTable table = new TestTable("orders", 1, Durability.FSYNC);
  private PrometheusProcess prometheus;
  private Server server;

  private void open() throws IOException {
    ServerConfig usual = ServerConfig.defaults(1);
    ServerConfig config =
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 100, false),
            usual.log(),
            usual.shard(),
            usual.table(),
            usual.session(),
            usual.base());
    server = Server.alone(data, config, disks);
    prometheus.scrape("disk", server.httpAddress().orElseThrow().getPort());
  }

  @BeforeEach
  void begin() throws IOException {
    AlertRules rules = AlertRules.shipped().atOnce(Map.of());
    prometheus = PrometheusProcess.start(stage, rules, Optional.empty());
    open();
    prometheus.awaitScraped("disk");
  }

  @AfterEach
  void end() throws IOException {
    disks.set(Fault.NONE);
    server.close();
  }

  @Test
  void a_disk_that_gets_full_is_low_and_full_until_there_is_room() {
    assertThat(prometheus.isFiring("TunnelDiskFull", DISK)).isFalse();
    disks.set(Fault.FULL);
    prometheus.awaitFiring("TunnelDiskLow", DISK);
    prometheus.awaitFiring("TunnelDiskFull", DISK);
    disks.set(Fault.NONE);
    prometheus.awaitEnded("TunnelDiskFull", DISK);
    prometheus.awaitEnded("TunnelDiskLow", DISK);
  }

  @Test
  void a_shard_whose_disk_fails_has_failed_until_the_server_is_started_again() throws IOException {
    assertThat(prometheus.isFiring("TunnelShardFailed", DISK)).isFalse();
    ClientConfig client =
        ClientConfig.of("127.0.0.1", server.localAddress().getPort())
            .withWriteRetryDeadline(Duration.ofMillis(200));
    try (TableClient tables = TableClient.connect(client)) {
      var unused = table.create(tables);
      disks.set(Fault.FAILING_SYNCS);
      var unusedResult = tables.tryWriteAsync(table.name(), List.of(TestTable.put(1, "row", 1)));
      prometheus.awaitFiring("TunnelShardFailed", DISK);
    }
    disks.set(Fault.NONE);
    closeFailed();
    open();
    prometheus.awaitEnded("TunnelShardFailed", DISK);
    prometheus.awaitScraped("disk");
  }

  @Test
  void a_disk_that_hangs_is_stalled_until_it_goes_on() {
    assertThat(prometheus.isFiring("TunnelDiskStalled", DISK)).isFalse();
    ClientConfig client = ClientConfig.of("127.0.0.1", server.localAddress().getPort());
    try (TableClient tables = TableClient.connect(client)) {
      var unused = table.create(tables);
      disks.set(Fault.HANGING_SYNCS);
      var unusedResult = tables.tryWriteAsync(table.name(), List.of(TestTable.put(1, "row", 1)));
      prometheus.awaitFiring("TunnelDiskStalled", DISK);
      disks.set(Fault.NONE);
      prometheus.awaitEnded("TunnelDiskStalled", DISK);
    }
  }

  private void closeFailed() {
    try {
      server.close();
    } catch (IOException e) {
      assertThat(e).hasStackTraceContaining("failed before");
    }
  }
}
