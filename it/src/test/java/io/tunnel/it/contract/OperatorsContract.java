package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What operators do to tunnels, and what workers notice of it. */
abstract class OperatorsContract extends Contract {

  private static final String NAME = "audit";

  @Test
  void a_paused_tunnel_delivers_nothing_until_it_is_resumed() {
    TableInfo table = table(10);
    Values values = new Values();
    var unused = worker(stream(table, NAME), "a", values);
    write(table, put(1, 1), put(11, 2));
    channels(table, NAME).awaitDrained();
    PauseTunnelRequest pause = new PauseTunnelRequest(table.meta().name(), NAME, List.of());
    assertThat(tunnels().pauseTunnel(pause)).isNotNull();
    Poll.until(
        "all channels given back",
        () -> statuses(channels(table, NAME).now()).allMatch(ChannelStatus.WAIT::equals));
    write(table, put(1, 3));
    assertThat(channels(table, NAME).now()).allMatch(ChannelInfo::isPaused);
    assertThat(
            tunnels().resumeTunnel(new ResumeTunnelRequest(table.meta().name(), NAME, List.of())))
        .isNotNull();
    channels(table, NAME).awaitDrained();
    assertThat(values.all()).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void a_paused_channel_waits_alone() {
    TableInfo table = table(10);
    Values values = new Values();
    String tunnelId = stream(table, NAME);
    String second = table.partitions().get(1).id() + "_" + tunnelId;
    PauseTunnelRequest pause = new PauseTunnelRequest(table.meta().name(), NAME, List.of(second));
    assertThat(tunnels().pauseTunnel(pause)).isNotNull();
    var unused = worker(tunnelId, "a", values);
    write(table, put(11, 2), put(1, 1));
    values.await(1);
    assertThat(values.all()).containsExactly(1L);
    assertThat(
            tunnels()
                .resumeTunnel(new ResumeTunnelRequest(table.meta().name(), NAME, List.of(second))))
        .isNotNull();
    values.await(2);
    assertThat(values.all()).containsExactly(1L, 2L);
  }

  @Test
  void rewinding_delivers_again_and_a_dry_run_only_says_so() {
    TableInfo table = table();
    Values values = new Values();
    var unused = worker(stream(table, NAME), "a", values);
    writeEach(table, 1, 3);
    channels(table, NAME).awaitDrained();
    SeekTunnelRequest back = SeekTunnelRequest.toEarliest(table.meta().name(), NAME);
    assertThat(tunnels().seekTunnel(back.dryRun(true)).moves())
        .singleElement()
        .satisfies(
            move -> {
              assertThat(move.from()).isEqualTo(3);
              assertThat(move.to()).isZero();
            });
    assertThat(channels(table, NAME).now().get(0).checkpointed()).isEqualTo(3);
    assertThat(tunnels().seekTunnel(back).moves()).hasSize(1);
    values.await(6);
    assertThat(values.all()).containsExactly(1L, 2L, 3L, 1L, 2L, 3L);
    channels(table, NAME).awaitDrained();
  }

  @Test
  void skipping_goes_to_the_newest_change_and_no_further() {
    TableInfo table = table();
    String tunnelId = stream(table, NAME);
    writeEach(table, 1, 3);
    String channel = table.partitions().get(0).id() + "_" + tunnelId;
    assertThat(tunnels().seekTunnel(SeekTunnelRequest.toLatest(table.meta().name(), NAME)).moves())
        .extracting(move -> move.to())
        .containsExactly(3L);
    assertRefused(
        ErrorCode.INVALID_POSITION,
        () ->
            tunnels()
                .seekTunnel(SeekTunnelRequest.toPosition(table.meta().name(), NAME, channel, 4)));
    assertRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        () ->
            tunnels()
                .seekTunnel(
                    SeekTunnelRequest.toPosition(table.meta().name(), NAME, "1_nowhere", 1)));
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    write(table, put(1, 4));
    values.await(1);
    assertThat(values.all()).containsExactly(4L);
  }

  @Test
  void exported_checkpoints_can_be_imported_into_another_tunnel_of_the_table_only() {
    TableInfo table = table(10);
    Values values = new Values();
    var unused = worker(stream(table, NAME), "a", values);
    write(table, put(1, 1), put(11, 2));
    channels(table, NAME).awaitDrained();
    CheckpointSet exported =
        tunnels()
            .exportCheckpoints(new ExportCheckpointsRequest(table.meta().name(), NAME))
            .checkpoints();
    var clone = stream(table, "clone");
    assertThat(
            tunnels()
                .importCheckpoints(
                    new ImportCheckpointsRequest(table.meta().name(), "clone", exported, false))
                .moves())
        .hasSize(2);
    assertThat(channels(table, "clone").checkpoints())
        .isEqualTo(channels(table, NAME).checkpoints());
    CheckpointSet half =
        new CheckpointSet(
            exported.tableId(), exported.table(), NAME, exported.channels().subList(0, 1));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () ->
            tunnels()
                .seekTunnel(
                    SeekTunnelRequest.toCheckpoints(table.meta().name(), "clone", half)
                        .withChannels(List.of(table.partitions().get(1).id() + "_" + clone))));
    TableInfo other = table();
    assertThat(stream(other, NAME)).isNotEqualTo(clone);
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () ->
            tunnels()
                .importCheckpoints(
                    new ImportCheckpointsRequest(other.meta().name(), NAME, exported, false)));
  }

  @Test
  void base_data_has_nothing_to_seek_in() {
    TableInfo table = table();
    var unused = tunnel(table, NAME, TunnelType.BaseData);
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> tunnels().seekTunnel(SeekTunnelRequest.toLatest(table.meta().name(), NAME)));
  }

  @Test
  void a_session_that_an_operator_ends_is_followed_by_another() {
    TableInfo table = table();
    Values values = new Values();
    var unused = worker(stream(table, NAME), "a", values);
    write(table, put(1, 1));
    channels(table, NAME).awaitDrained();
    ChannelInfo held = channels(table, NAME).now().get(0);
    String session = held.getClientId();
    assertThat(tunnels().endSession(new EndSessionRequest(table.meta().name(), NAME, session)))
        .isNotNull();
    write(table, put(1, 2));
    values.await(2);
    assertThat(values.all()).containsExactly(1L, 2L);
    assertThat(channels(table, NAME).now().get(0).epoch()).isGreaterThan(held.epoch());
    assertRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        () -> tunnels().endSession(new EndSessionRequest(table.meta().name(), NAME, session)));
  }

  @Test
  void deleting_a_tunnel_halts_its_workers() {
    TableInfo table = table();
    TunnelWorker worker = worker(stream(table, NAME), "a", new Values());
    channels(table, NAME).awaitSpread(Map.of("a", 1));
    assertThat(tunnels().deleteTunnel(new DeleteTunnelRequest(table.meta().name(), NAME)))
        .isNotNull();
    Poll.until(
        "the worker halts", () -> worker.status().state() == TunnelWorkerStatus.State.WORKER_HALT);
  }
}
