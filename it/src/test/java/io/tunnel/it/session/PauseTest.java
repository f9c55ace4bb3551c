package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A tunnel, and a channel of it, that operators pause while a writer and two workers go on. */
class PauseTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS = 1_000;

  @RegisterExtension final Stage stage = new Stage();

  private Scene scene;
  private Channels tunnel;

  private void pause(List<String> channels) {
    PauseTunnelRequest request = new PauseTunnelRequest(scene.table(), "audit", channels);
    assertThat(scene.tunnels().pauseTunnel(request)).isNotNull();
  }

  private void resume(List<String> channels) {
    ResumeTunnelRequest request = new ResumeTunnelRequest(scene.table(), "audit", channels);
    assertThat(scene.tunnels().resumeTunnel(request)).isNotNull();
  }

  private int sessions() {
    DescribeTunnelRequest request = new DescribeTunnelRequest(scene.table(), "audit");
    return scene.tunnels().describeTunnel(request).sessionInfos().size();
  }

  private void awaitGivenBack(List<String> channels) {
    Poll.until(
        Poll.LONG,
        () ->
            tunnel.now().stream()
                .filter(channel -> channels.contains(channel.getChannelId()))
                .allMatch(channel -> channel.getChannelStatus() == ChannelStatus.WAIT),
        () -> channels + " given back, but " + tunnel.now());
  }

  private void awaitDrainedBut(int partition) {
    Poll.until(
        Poll.LONG,
        () ->
            tunnel.now().stream()
                .filter(channel -> channel.partition() != partition)
                .allMatch(channel -> channel.lagRows() == 0),
        () -> "all drained but " + partition + ": " + tunnel.now());
  }

  @Test
  void nothing_comes_twice_and_nothing_is_lost_also_when_the_server_dies_meanwhile() {
    ServerProcess server = stage.server();
    scene = new Scene(stage, server, PARTITIONS);
    tunnel = scene.tunnel("audit", TunnelType.Stream);
    WriterProcess writer = scene.writer();
    WorkerProcess one = scene.worker(tunnel, "one");
    WorkerProcess two = scene.worker(tunnel, "two");
    tunnel.awaitSpread(Map.of("one", 2, "two", 2));
    writer.awaitMoreApplied(ROWS);
    tunnel.awaitProgress();

    List<String> all = tunnel.now().stream().map(ChannelInfo::getChannelId).toList();
    int single = tunnel.now().get(1).partition();
    pause(all.subList(1, 2));
    awaitGivenBack(all.subList(1, 2));
    long checkpoint = tunnel.checkpoints().get(single);
    Map<Integer, Long> others = tunnel.checkpoints();
    writer.awaitMoreApplied(ROWS);
    Poll.until(
        "the other channels go on",
        () ->
            tunnel.checkpoints().entrySet().stream()
                .allMatch(at -> at.getKey() == single || at.getValue() > others.get(at.getKey())));
    assertThat(tunnel.checkpoints()).containsEntry(single, checkpoint);

    pause(List.of());
    awaitGivenBack(all);
    Map<Integer, Long> paused = tunnel.checkpoints();
    writer.awaitMoreApplied(ROWS);
    server.kill();
    server.start();
    writer.awaitMoreApplied(ROWS);
    Poll.until("both workers are back", () -> sessions() == 2);
    assertThat(tunnel.checkpoints()).isEqualTo(paused);
    assertThat(tunnel.now()).allMatch(ChannelInfo::isPaused);
    assertThat(tunnel.now()).allMatch(channel -> channel.getClientId() == null);

    resume(List.of());
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    awaitDrainedBut(single);
    assertThat(tunnel.now().get(1).isPaused()).isTrue();
    assertThat(tunnel.checkpoints()).containsEntry(single, checkpoint);
    resume(all.subList(1, 2));
    tunnel.awaitDrained();
    one.stop();
    two.stop();

    Sightings sightings = new Sightings().add(Noted.inTurns(one, two));
    assertThat(sightings.repeated()).isZero();
    assertThat(ledger.requireConsumed(sightings))
        .isLessThanOrEqualTo(ledger.count(Outcome.IN_DOUBT));
    assertThat(sightings.rows()).isEqualTo(scene.rows());
    assertThat(one.told("revoked") + two.told("revoked")).isZero();
  }
}
