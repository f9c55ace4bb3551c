package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
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
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
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

  /** A tunnel with a channel whose lag is known, and one whose lag is not. */
  private static List<TunnelSample> halfKnown() {
    TunnelInfo info =
        new TunnelInfo("id", "sync", "orders", TunnelType.Stream, StreamStart.LATEST, 1);
    List<ChannelDescription> channels =
        List.of(channel(1, 4_000, 2_000), channel(2, LogFigures.UNKNOWN, LogFigures.UNKNOWN));
    return List.of(TunnelSample.of(new TunnelDescription(info, channels, false, List.of())));
  }

  @Test
  void a_lag_that_is_not_known_is_no_number() {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(halfKnown(), 2);
      assertThat(Scraped.of(meters).lines().filter(line -> line.startsWith("tunnel_channel_lag")))
          .containsExactlyInAnyOrder(
              "tunnel_channel_lag_rows{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 20.0",
              "tunnel_channel_lag_rows{partition=\"2\",table=\"orders\",tunnel=\"sync\"} 20.0",
              "tunnel_channel_lag_bytes{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 4000.0",
              "tunnel_channel_lag_bytes{partition=\"2\",table=\"orders\",tunnel=\"sync\"} NaN",
              "tunnel_channel_lag_seconds{partition=\"1\",table=\"orders\",tunnel=\"sync\"} 2.0",
              "tunnel_channel_lag_seconds{partition=\"2\",table=\"orders\",tunnel=\"sync\"} NaN");
    }
  }

  private static final int TUNNELS = 10_000;

  /** A page of 10,000 tunnels has 9 MB; it is never made as a whole. */
  private static final int PIECE_CHARS_MAX = 1 << 16;

  private static final long PAGE_BYTES_MAX = 32 << 20;

  private static TunnelSample sample(String table, String tunnel, int channels) {
    List<ChannelDescription> described = new ArrayList<>();
    for (int partition = 1; partition <= channels; partition++) {
      described.add(channel(partition, 100L * partition, 2_000L * partition));
    }
    TunnelInfo info = new TunnelInfo("id", tunnel, table, TunnelType.Stream, StreamStart.LATEST, 1);
    return TunnelSample.of(new TunnelDescription(info, described, false, List.of()));
  }

  @Test
  void a_page_of_ten_thousand_tunnels_takes_little_memory() {
    List<TunnelSample> samples =
        IntStream.range(0, TUNNELS).mapToObj(i -> sample("orders", "audit" + i, 1)).toList();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      long before = threads.getCurrentThreadAllocatedBytes();
      meters.tunnels(samples, TUNNELS);
      int lines = 0;
      for (Iterator<CharSequence> pieces = meters.scrape(); pieces.hasNext(); ) {
        String piece = pieces.next().toString();
        assertThat(piece).hasSizeLessThan(PIECE_CHARS_MAX);
        lines += piece.contains("tunnel=") ? (int) piece.lines().count() : 0;
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(PAGE_BYTES_MAX);
      assertThat(lines).isEqualTo(12 * TUNNELS + 2 * 12);
    }
  }

  private static List<String> lines(ServerMeters meters, String pattern) {
    return Scraped.of(meters).lines().filter(line -> line.matches(pattern)).toList();
  }

  @Test
  void tunnels_beyond_the_bound_share_figures() {
    List<TunnelSample> samples =
        List.of(sample("b", "x", 3), sample("a", "y", 1), sample("a", "x", 2), sample("b", "a", 2));
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(samples, 3);
      assertThat(lines(meters, "tunnel_channels\\{.*"))
          .containsExactly(
              "tunnel_channels{table=\"a\",tunnel=\"x\"} 2.0",
              "tunnel_channels{table=\"a\",tunnel=\"y\"} 1.0",
              "tunnel_channels{table=\"all others\",tunnel=\"all others\"} 5.0");
      String others = "{partition=\"all others\",table=\"all others\",tunnel=\"all others\"} ";
      assertThat(lines(meters, "tunnel_channel_.*all others.*"))
          .containsExactly(
              "tunnel_channel_lag_rows" + others + "100.0",
              "tunnel_channel_lag_bytes" + others + "900.0",
              "tunnel_channel_lag_seconds" + others + "6.0");
      meters.tunnels(samples, 8);
      assertThat(lines(meters, ".*all others.*")).isEmpty();
      assertThat(lines(meters, "# TYPE tunnel_channel_lag_rows .*")).hasSize(1);
      assertThat(lines(meters, ".*history_left.*")).as("a name without a line").isEmpty();
      meters.tunnels(samples, 0);
      assertThat(lines(meters, "tunnel_channels\\{.*"))
          .containsExactly("tunnel_channels{table=\"all others\",tunnel=\"all others\"} 8.0");
    }
  }

  @Test
  void a_shared_lag_leaves_out_the_lags_that_are_not_known() {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(halfKnown(), 0);
      String others = "{partition=\"all others\",table=\"all others\",tunnel=\"all others\"} ";
      assertThat(lines(meters, "tunnel_channel_lag_.*"))
          .containsExactly(
              "tunnel_channel_lag_rows" + others + "40.0",
              "tunnel_channel_lag_bytes" + others + "4000.0",
              "tunnel_channel_lag_seconds" + others + "2.0");
    }
  }

  @Test
  void a_shared_lag_of_which_nothing_is_known_is_no_number() {
    TunnelInfo info =
        new TunnelInfo("id", "sync", "orders", TunnelType.Stream, StreamStart.LATEST, 1);
    List<ChannelDescription> channels = List.of(channel(1, LogFigures.UNKNOWN, LogFigures.UNKNOWN));
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(
          List.of(TunnelSample.of(new TunnelDescription(info, channels, false, List.of()))), 0);
      String others = "{partition=\"all others\",table=\"all others\",tunnel=\"all others\"} ";
      assertThat(lines(meters, "tunnel_channel_lag_.*"))
          .containsExactly(
              "tunnel_channel_lag_rows" + others + "20.0",
              "tunnel_channel_lag_bytes" + others + "NaN",
              "tunnel_channel_lag_seconds" + others + "NaN");
    }
  }

  @Test
  void a_name_of_any_characters_is_a_label() {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(List.of(sample("t\"\\", "\u00fc\n", 0)), 1);
      assertThat(lines(meters, "tunnel_sessions.*"))
          .containsExactly("tunnel_sessions{table=\"t\\\"\\\\\",tunnel=\"\u00fc\\n\"} 0.0");
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
      return Scraped.of(meters).lines().filter(line -> line.startsWith("tunnel_disk_")).toList();
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
      assertThat(Scraped.of(meters))
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
      assertThat(Scraped.of(meters).lines().filter(line -> line.startsWith("tunnel_principal")))
          .containsExactlyInAnyOrder(
              "tunnel_principal_refusals_total{code=\"BUSY\",principal=\"CN=ada\"} 1.0",
              "tunnel_principal_slowed_total{principal=\"CN=ada\"} 0.0",
              "tunnel_principal_slowed_seconds_total{principal=\"CN=ada\"} 0.0",
              "tunnel_principal_quota_used{limit=\"tables\",principal=\"CN=ada\"} 1.0",
              "tunnel_principal_quota_max{limit=\"tables\",principal=\"CN=ada\"} 3.0");
      String page = Files.readString(Path.of("../docs/reference/metrics.md"));
      Scraped.of(meters)
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
              Scraped.of(meters)
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
