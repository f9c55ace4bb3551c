package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.OpenFiles;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerMetersTest {

  private static final int RESERVED_BYTES = 1 << 20;

  private static ChannelDescription channel(int partition, long lagBytes, long lagMs) {
    return new ChannelDescription(
        "c" + partition,
        partition,
        ChannelStatus.OPEN,
        Optional.empty(),
        Optional.empty(),
        1,
        10,
        10,
        30,
        20,
        lagBytes,
        lagMs,
        ChannelType.Stream,
        false,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void a_lag_that_is_not_known_is_no_number() {
    TunnelInfo info =
        new TunnelInfo("id", "sync", "orders", TunnelType.Stream, StreamStart.LATEST, 1);
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.channels(
          List.of(
              new TunnelDescription(
                  info,
                  List.of(
                      channel(1, 4_000, 2_000), channel(2, LogFigures.UNKNOWN, LogFigures.UNKNOWN)),
                  false,
                  List.of())));
      assertThat(meters.scrape().lines().filter(line -> line.startsWith("tunnel_channel_lag")))
          .containsExactlyInAnyOrder(
              "tunnel_channel_lag_rows{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 20.0",
              "tunnel_channel_lag_rows{partition=\"2\",table=\"orders\",tunnel=\"sync\"} 20.0",
              "tunnel_channel_lag_bytes{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 4000.0",
              "tunnel_channel_lag_bytes{partition=\"2\",table=\"orders\",tunnel=\"sync\"} NaN",
              "tunnel_channel_lag_seconds{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 2.0",
              "tunnel_channel_lag_seconds{partition=\"2\",table=\"orders\",tunnel=\"sync\"} NaN");
    }
  }

  private static List<String> diskMeters(Path directory, long freeBytes) throws IOException {
    CrashDisk disk = new CrashDisk();
    disk.room(freeBytes);
    Shards.Layout usual = TestShards.layout(directory, 1, 1 << 16);
    Shards.Layout layout =
        new Shards.Layout(
            directory,
            1,
            1 << 16,
            new ShardConfig(64 << 10, 8 << 10, 8 << 20, RESERVED_BYTES),
            usual.table(),
            new OpenFiles(unused -> disk, 100));
    try (ServerMeters meters = new ServerMeters(() -> 0L);
        Shards shards = Shards.open(layout, partition -> true, meters, new TestClock())) {
      meters.watch(shards, RESERVED_BYTES);
      return meters.scrape().lines().filter(line -> line.startsWith("tunnel_disk_")).toList();
    }
  }

  @Test
  void a_disk_says_how_much_is_free_and_whether_it_is_full(@TempDir Path directory)
      throws IOException {
    assertThat(diskMeters(directory.resolve("roomy"), Long.MAX_VALUE))
        .containsExactlyInAnyOrder(
            "tunnel_disk_free_bytes{shard=\"0\"} 9.223372036854776E18",
            "tunnel_disk_full{shard=\"0\"} 0.0",
            "tunnel_disk_reserved_bytes{shard=\"0\"} 1048576.0",
            "tunnel_disk_stalled{shard=\"0\"} 0.0");
    assertThat(diskMeters(directory.resolve("full"), RESERVED_BYTES - 1))
        .hasSize(4)
        .contains("tunnel_disk_full{shard=\"0\"} 1.0")
        .doesNotContain("tunnel_disk_free_bytes{shard=\"0\"} 9.223372036854776E18");
  }

  @Test
  void a_node_says_how_many_partitions_its_cluster_has() {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      NodeMeters node = new NodeMeters(meters);
      node.watch(() -> new NodeMeters.Standing(3, 1, 24, 0, false, false, 0, 0, 0, 0, 1, 1));
      assertThat(meters.scrape())
          .contains("\ntunnel_cluster_nodes 3.0\n")
          .contains("\ntunnel_cluster_partitions 24.0\n");
    }
  }

  @Test
  void meters_of_principals_are_those_of_the_page() throws IOException {
    Shares shares = new Shares(new TestGate().gate, 1);
    shares.refused(new TestGate().caller("CN=ada"), ErrorCode.BUSY);
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.principals(shares.figures(), List.of(new QuotaUse("CN=ada", "tables", 1, 3)));
      assertThat(meters.scrape().lines().filter(line -> line.startsWith("tunnel_principal")))
          .containsExactlyInAnyOrder(
              "tunnel_principal_refusals_total{code=\"BUSY\",principal=\"CN=ada\"} 1.0",
              "tunnel_principal_slowed_total{principal=\"CN=ada\"} 0.0",
              "tunnel_principal_slowed_seconds_total{principal=\"CN=ada\"} 0.0",
              "tunnel_principal_quota_used{limit=\"tables\",principal=\"CN=ada\"} 1.0",
              "tunnel_principal_quota_max{limit=\"tables\",principal=\"CN=ada\"} 3.0");
      String page = Files.readString(Path.of("../docs/metrics.md"));
      meters
          .scrape()
          .lines()
          .filter(line -> line.startsWith("# TYPE tunnel_principal"))
          .forEach(
              line ->
                  assertThat(page)
                      .contains("`" + List.of(line.split(" ", -1)).get(2) + "{principal"));
    }
  }

  @Test
  void catching_up_has_the_meters_of_the_page() {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.catchUp(() -> new Rations.Figures(7, 2, Double.POSITIVE_INFINITY, 5e8, 25e7));
      assertThat(
              meters
                  .scrape()
                  .lines()
                  .filter(line -> line.matches("tunnel_(catch_up|write_wait)_.*")))
          .containsExactlyInAnyOrder(
              "tunnel_catch_up_bytes_total 7.0",
              "tunnel_catch_up_waiting 2.0",
              "tunnel_catch_up_limit_bytes_per_second +Inf",
              "tunnel_write_wait_seconds 0.5",
              "tunnel_write_wait_normal_seconds 0.25");
    }
  }
}
