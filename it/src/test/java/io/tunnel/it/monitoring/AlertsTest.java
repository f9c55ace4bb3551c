package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Channels;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Alerts of servers and tunnels, evaluated by a real Prometheus: each fires, and ends. */
@Tag("proof-monitoring")
class AlertsTest {

  private static final OptionsChange FOR_EVER = new OptionsChange().withRetention(Duration.ZERO);

  /** With a retention of five minutes, a lag of three seconds uses up a hundredth of it. */
  private static final OptionsChange FIVE_MINUTES =
      new OptionsChange().withRetention(Duration.ofMinutes(5));

  private static final Map<String, String> LIMITS =
      Map.of("TunnelLagging", "2", "TunnelHistoryRunsOut", "0.01");

  private static final String FORGETFUL =
      "{\"log\":{\"shards\":1,\"segmentBytesMax\":65536,\"retentionCheckMs\":100}}";

  @RegisterExtension static final Stage STAGE = new Stage();

  private static PrometheusProcess prometheus;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    AlertRules rules = AlertRules.shipped().atOnce(LIMITS);
    prometheus = PrometheusProcess.start(STAGE, rules, Optional.empty());
  }

  private static ServerProcess server(String instance, String... options) {
    ServerProcess server = STAGE.server(options);
    prometheus.scrape(instance, server.httpPort());
    return server;
  }

  private static Map<String, String> audit(Scene scene) {
    return Map.of("table", scene.table(), "tunnel", "audit");
  }

  private static void alter(Scene scene, OptionsChange options) {
    assertThat(scene.tables().alterTable(scene.table(), options)).isNotNull();
  }

  @Test
  void a_tunnel_without_workers_lags_and_runs_out_of_history_until_a_worker_has_caught_up() {
    Scene scene = new Scene(STAGE, server("lag"), 2);
    alter(scene, FIVE_MINUTES);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    scene.fill(10, 10);
    prometheus.awaitFiring("TunnelLagging", audit(scene));
    prometheus.awaitFiring("TunnelHistoryRunsOut", audit(scene));
    var unused = scene.worker(tunnel, "w");
    tunnel.awaitDrained();
    prometheus.awaitEnded("TunnelLagging", audit(scene));
    prometheus.awaitEnded("TunnelHistoryRunsOut", audit(scene));
  }

  @Test
  void a_tunnel_that_lost_history_says_so_until_its_channels_are_moved() throws IOException {
    Path config = Files.writeString(directory.resolve("config.json"), FORGETFUL);
    Scene scene = new Scene(STAGE, server("lost", "--config", config.toString()), 1);
    var unused = scene.tunnel("audit", TunnelType.Stream);
    alter(scene, FOR_EVER.withRetention(Duration.ofMillis(1)));
    scene.fill(10, 10);
    prometheus.awaitFiring("TunnelHistoryLost", audit(scene));
    alter(scene, FOR_EVER);
    SeekTunnelRequest seek = SeekTunnelRequest.toEarliest(scene.table(), "audit");
    assertThat(scene.tunnels().seekTunnel(seek).moves()).hasSize(1);
    prometheus.awaitEnded("TunnelHistoryLost", audit(scene));
  }

  /** Throws until it is repaired. */
  private static final class Repairable implements IChannelProcessor {
    private volatile boolean isRepaired;

    @Override
    public void process(ProcessRecordsInput input) {
      if (!isRepaired) {
        throw new IllegalStateException("not repaired yet");
      }
    }

    @Override
    public void shutdown() {}
  }

  @Test
  void a_channel_whose_processor_fails_is_stopped_until_an_operator_resumes_it() {
    Scene scene = new Scene(STAGE, server("stopped"), 1);
    Channels tunnel = scene.tunnel("audit", TunnelType.Stream);
    Repairable processor = new Repairable();
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder().processor(processor).checkpointIntervalInMillis(10).build();
    config.setProcessAttemptsMax(1);
    TunnelWorker worker = new TunnelWorker(tunnel.tunnelId(), scene.tunnels(), config);
    STAGE.closes(worker::shutdown);
    worker.connectAndWorking();
    scene.fill(1, 10);
    prometheus.awaitFiring("TunnelChannelStopped", audit(scene));
    processor.isRepaired = true;
    List<String> stopped = tunnel.now().stream().map(ChannelInfo::getChannelId).toList();
    ResumeTunnelRequest resume = new ResumeTunnelRequest(scene.table(), "audit", stopped);
    assertThat(scene.tunnels().resumeTunnel(resume)).isNotNull();
    tunnel.awaitDrained();
    prometheus.awaitEnded("TunnelChannelStopped", audit(scene));
  }

  @Test
  void a_server_that_ends_is_down_until_it_is_started_and_has_no_certificate_that_could_end() {
    Map<String, String> down = Map.of("instance", "down");
    ServerProcess server = server("down");
    prometheus.awaitScraped("down");
    server.stop();
    prometheus.awaitFiring("TunnelServerDown", down);
    server.start();
    prometheus.scrape("down", server.httpPort());
    prometheus.awaitEnded("TunnelServerDown", down);
    prometheus.awaitScraped("down");
    assertThat(prometheus.isFiring("TunnelCertificateEnds", down)).isFalse();
  }
}
