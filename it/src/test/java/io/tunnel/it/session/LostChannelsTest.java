package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.SessionInfo;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Workers that live on after the loss of their channels: they notice, and come back by themselves.
 */
@Tag("proof-service")
class LostChannelsTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS = 1_000;
  private static final int LEASE_S = 3;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;
  private static RawClient silent;

  @BeforeAll
  static void start() {
    server = STAGE.server();
    silent = STAGE.closing(RawClient.silent(server));
  }

  private Scene scene;
  private Channels tunnel;
  private WriterProcess writer;
  private WorkerProcess first;
  private WorkerProcess second;

  private void begin(WorkerSetup setup) {
    scene = new Scene(STAGE, server, PARTITIONS);
    tunnel = scene.tunnel("audit", TunnelType.Stream);
    writer = scene.writer();
    first = scene.worker(tunnel, setup);
    second = scene.worker(tunnel, "second");
    tunnel.awaitSpread(Map.of("first", 2, "second", 2));
    writer.awaitMoreApplied(ROWS);
    tunnel.awaitProgress();
    Poll.until(
        "the first worker works on what it holds",
        () ->
            first.seen().stream()
                .map(Seen::partition)
                .collect(Collectors.toSet())
                .containsAll(tunnel.partitionsOf("first")));
  }

  private Sightings requireAllConsumed() {
    Ledger ledger = new Ledger(writer.stop());
    tunnel.awaitDrained();
    first.stop();
    second.stop();
    Sightings sightings = new Sightings().add(Noted.inTurns(first, second));
    assertThat(ledger.requireConsumed(sightings)).isZero();
    assertThat(sightings.rows()).isEqualTo(scene.rows());
    return sightings;
  }

  @Test
  void a_stopped_process_loses_its_channels_with_its_lease_and_is_fenced_when_it_wakes_up() {
    begin(WorkerSetup.of("first", Scene.OFTEN).withLease(LEASE_S));
    List<String> held =
        tunnel.now().stream()
            .filter(channel -> channel.clientTag().orElseThrow().equals("first"))
            .map(ChannelInfo::getChannelId)
            .toList();
    first.child().suspend();
    tunnel.awaitSpread(Map.of("second", 4));
    writer.awaitMoreApplied(ROWS);
    Map<Integer, Long> beyond = tunnel.checkpoints();
    first.child().goOn();
    held.forEach(channel -> first.awaitTold("revoked", channel));
    tunnel.awaitSpread(Map.of("first", 2, "second", 2));
    assertThat(tunnel.now())
        .allMatch(channel -> channel.checkpointed() >= beyond.get(channel.partition()));
    writer.awaitMoreApplied(ROWS);
    var unused = requireAllConsumed();
    assertThat(second.told("revoked")).isZero();
  }

  @Test
  void
      a_worker_whose_session_an_operator_ends_comes_back_and_only_what_it_had_not_checkpointed_is_repeated() {
    begin(WorkerSetup.of("first", Scene.OFTEN));
    Map<Integer, Long> checkpoints = tunnel.checkpoints();
    String session = session("first");
    EndSessionRequest end = new EndSessionRequest(scene.table(), "audit", session);
    assertThat(scene.tunnels().endSession(end)).isNotNull();
    Poll.until("the channels of the ended session are told", () -> first.told("revoked") >= 2);
    tunnel.awaitSpread(Map.of("first", 2, "second", 2));
    assertThat(session("first")).isNotEqualTo(session);
    writer.awaitMoreApplied(ROWS);
    var unused = requireAllConsumed();
    assertThat(Noted.inTurns(first, second))
        .filteredOn(seen -> seen.position() <= checkpoints.get(seen.partition()))
        .isNotEmpty()
        .doesNotHaveDuplicates();
    assertThat(second.told("revoked")).isZero();
  }

  private String session(String tag) {
    DescribeTunnelRequest request = new DescribeTunnelRequest(scene.table(), "audit");
    return scene.tunnels().describeTunnel(request).sessionInfos().stream()
        .filter(session -> session.clientTag().equals(tag))
        .map(SessionInfo::clientId)
        .findFirst()
        .orElse("");
  }

  @Test
  void a_connection_that_says_nothing_is_closed_with_a_word() {
    assertThat(silent.closedWith(0, 0).code()).isEqualTo(ErrorCode.BUSY);
  }
}
