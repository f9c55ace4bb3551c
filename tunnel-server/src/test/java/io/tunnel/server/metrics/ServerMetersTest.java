package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ServerMetersTest {

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
    try (ServerMeters meters = new ServerMeters()) {
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

  @Test
  void meters_of_principals_are_those_of_the_page() throws IOException {
    Shares shares = new Shares(new TestGate().gate, 1);
    shares.refused(new TestGate().caller("CN=ada"), ErrorCode.BUSY);
    try (ServerMeters meters = new ServerMeters()) {
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
    try (ServerMeters meters = new ServerMeters()) {
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
