package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.answer.TunnelAnswers;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.CloneCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.EndSessionResponse;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelResponse;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.sdk.tunnel.TunnelStage;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.Move;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What operators ask of a server through the clients. */
class OperatorsTest {

  private static final OperatorControl.CheckpointSet CHECKPOINTS =
      new OperatorControl.CheckpointSet(
          7,
          "t",
          "from",
          List.of(
              new ChannelPosition(1, ChannelType.BaseData, 4, Bytes.fromHex("0a"), true),
              new ChannelPosition(1, ChannelType.Stream, 90, Bytes.EMPTY, false)));

  private static final CheckpointSet EXPORTED = TunnelAnswers.checkpoints(CHECKPOINTS);

  private final FakeServer server = new FakeServer();
  private final List<Control> asked = new ArrayList<>();

  @AfterEach
  void close() {
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  /** Remembers requests of an operation and answers each alike. */
  private <T extends Control> void serve(Operation operation, Class<T> type, Control answer) {
    server.on(
        operation,
        (connection, frame) -> {
          asked.add(Json.decode(frame.payload(), type));
          connection.answer(frame, Json.encode(answer));
        });
  }

  private void with(Consumer<TunnelClient> use) {
    try (TunnelClient client = new TunnelClient(server.config())) {
      use.accept(client);
    }
  }

  private static Control.ChannelDescription channel(
      String id, ChannelType type, ChannelStatus status, long lagMs) {
    return new Control.ChannelDescription(
        id,
        1,
        status,
        Optional.empty(),
        Optional.empty(),
        3,
        10,
        20,
        30,
        20,
        999,
        lagMs,
        type,
        true,
        Optional.of(40L),
        Optional.of("broken"),
        List.of("BaseData_1"),
        Optional.of(-5L),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void a_tunnel_is_created_with_the_moments_of_its_stream() {
    Control.TunnelInfo info =
        new Control.TunnelInfo(
            "id1",
            "tun",
            "t",
            TunnelType.Stream,
            StreamStart.LATEST,
            99,
            Optional.of(1_000L),
            Optional.of(2_000L));
    serve(Operation.CREATE_TUNNEL, Control.CreateTunnel.class, info);
    StreamTunnelConfig stream = StreamTunnelConfig.fromTime(1_000).withEnd(2_000);
    with(
        client -> {
          TunnelInfo created =
              client
                  .createTunnel(new CreateTunnelRequest("t", "tun", TunnelType.Stream, stream))
                  .tunnelInfo();
          assertThat(created.getStreamTunnelConfig()).isEqualTo(stream);
          assertThat(created.getCreateTime()).isEqualTo(99);
        });
    assertThat(asked)
        .containsExactly(
            new Control.CreateTunnel(
                "t",
                "tun",
                TunnelType.Stream,
                StreamStart.LATEST,
                Optional.of(1_000L),
                Optional.of(2_000L)));
  }

  @Test
  void a_stream_that_ends_before_it_starts_is_refused_where_it_is_written() {
    assertThatThrownBy(() -> StreamTunnelConfig.fromTime(2_000).withEnd(2_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("endOffset 2000 is not after startOffset 2000");
    assertThatThrownBy(() -> StreamTunnelConfig.fromTime(-1))
        .hasMessage("startOffset is milliseconds since 1970, not -1");
    assertThat(StreamTunnelConfig.EARLIEST.withEnd(1).flag()).isEqualTo(StreamStart.EARLIEST);
  }

  @Test
  void a_description_tells_everything_about_channels_and_sessions() {
    Control.TunnelInfo info =
        new Control.TunnelInfo("id1", "tun", "t", TunnelType.BaseAndStream, StreamStart.LATEST, 99);
    serve(
        Operation.DESCRIBE_TUNNEL,
        Control.TunnelName.class,
        new Control.TunnelDescription(
            info,
            List.of(
                channel("b", ChannelType.BaseData, ChannelStatus.OPEN, 0),
                channel("s", ChannelType.Stream, ChannelStatus.WAIT, 70)),
            true,
            List.of(new Control.SessionDescription("s1", "me", 1, 4, 9_000))));
    with(
        client -> {
          DescribeTunnelResponse described =
              client.describeTunnel(new DescribeTunnelRequest("t", "tun"));
          assertThat(described.isPaused()).isTrue();
          assertThat(described.stage()).isEqualTo(TunnelStage.ProcessBaseData);
          assertThat(described.getTunnelRpo()).isEqualTo(70);
          assertThat(described.sessionInfos())
              .containsExactly(new SessionInfo("s1", "me", 1, 4, 9_000));
          ChannelInfo stream = described.getChannelInfos().get(1);
          assertThat(stream.getChannelType()).isEqualTo(ChannelType.Stream);
          assertThat(stream.getChannelRpo()).isEqualTo(70);
          assertThat(stream.isPaused()).isTrue();
          assertThat(stream.end()).contains(40L);
          assertThat(stream.error()).contains("broken");
          assertThat(stream.waitsFor()).containsExactly("BaseData_1");
          assertThat(stream.historyLeftMs()).contains(-5L);
        });
  }

  @Test
  void what_is_not_known_of_one_channel_is_not_known_of_the_tunnel() {
    DescribeTunnelResponse described =
        TunnelAnswers.description(
            new Control.TunnelDescription(
                new Control.TunnelInfo(
                    "id1", "tun", "t", TunnelType.Stream, StreamStart.LATEST, 99),
                List.of(
                    channel("a", ChannelType.Stream, ChannelStatus.OPEN, 70),
                    channel("b", ChannelType.Stream, ChannelStatus.OPEN, ChannelInfo.UNKNOWN)),
                false,
                List.of()));
    assertThat(described.getTunnelRpo()).isEqualTo(ChannelInfo.UNKNOWN);
    assertThat(described.lagRows()).isPositive();
  }

  @Test
  void a_tunnel_is_paused_and_one_channel_of_it_resumed() {
    serve(Operation.PAUSE, OperatorControl.ChannelSelection.class, new Control.Empty());
    serve(Operation.RESUME, OperatorControl.ChannelSelection.class, new Control.Empty());
    with(
        client -> {
          assertThat(client.pauseTunnel(new PauseTunnelRequest("t", "tun")))
              .isEqualTo(new PauseTunnelResponse());
          assertThat(client.resumeTunnel(new ResumeTunnelRequest("t", "tun", List.of("c"))))
              .isEqualTo(new ResumeTunnelResponse());
          client.resumeTunnel(new ResumeTunnelRequest("t", "tun"));
        });
    assertThat(asked)
        .containsExactly(
            new OperatorControl.ChannelSelection("t", "tun", List.of()),
            new OperatorControl.ChannelSelection("t", "tun", List.of("c")),
            new OperatorControl.ChannelSelection("t", "tun", List.of()));
  }

  @Test
  void a_seek_says_where_to_and_for_which_channels() {
    Move back = new Move("c", 1, ChannelType.Stream, 90, 40);
    Move on = new Move("d", 2, ChannelType.Stream, 5, 7);
    Move rows = new Move("b", 2, ChannelType.BaseData, 3, 0);
    serve(
        Operation.SEEK,
        OperatorControl.Seek.class,
        new OperatorControl.SeekResult(List.of(back, on, rows), 0));
    with(
        client -> {
          SeekTunnelResponse moved = client.seekTunnel(SeekTunnelRequest.toEarliest("t", "tun"));
          assertThat(moved.moves())
              .containsExactly(
                  new ChannelMove("c", 1, ChannelType.Stream, 90, 40),
                  new ChannelMove("d", 2, ChannelType.Stream, 5, 7),
                  new ChannelMove("b", 2, ChannelType.BaseData, 3, 0));
          assertThat(moved.again(ChannelType.Stream)).isEqualTo(50);
          assertThat(moved.again(ChannelType.BaseData)).isEqualTo(3);
          assertThat(moved.skipped(ChannelType.Stream)).isEqualTo(2);
          client.seekTunnel(
              SeekTunnelRequest.toLatest("t", "tun").withChannels(List.of("c", "d")).dryRun(true));
          client.seekTunnel(SeekTunnelRequest.toTime("t", "tun", 123));
          client.seekTunnel(SeekTunnelRequest.toPosition("t", "tun", "c", 9));
          client.importCheckpoints(new ImportCheckpointsRequest("t", "tun", EXPORTED));
        });
    List<OperatorControl.Seek> seeks =
        asked.stream().map(OperatorControl.Seek.class::cast).toList();
    assertThat(seeks.get(0).edge()).contains(StreamStart.EARLIEST);
    assertThat(seeks.get(0).isDryRun()).isFalse();
    assertThat(seeks.get(1).edge()).contains(StreamStart.LATEST);
    assertThat(seeks.get(1).channels()).containsExactly("c", "d");
    assertThat(seeks.get(1).isDryRun()).isTrue();
    assertThat(seeks.get(2).timeMs()).contains(123L);
    assertThat(seeks.get(3).position()).contains(9L);
    assertThat(seeks.get(3).channels()).containsExactly("c");
    assertThat(seeks.get(4).checkpoints()).contains(CHECKPOINTS);
  }

  @Test
  void a_position_is_for_one_channel() {
    SeekTunnelRequest seek = SeekTunnelRequest.toPosition("t", "tun", "c", 9);
    assertThat(seek).isEqualTo(SeekTunnelRequest.toPosition("t", "tun", "c", 9));
    assertThatThrownBy(() -> seek.withChannels(List.of("c", "d")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a position is for one channel, but 2 are named");
  }

  @Test
  void progress_is_cloned_from_one_tunnel_to_another() {
    serve(Operation.EXPORT_CHECKPOINTS, Control.TunnelName.class, CHECKPOINTS);
    serve(Operation.SEEK, OperatorControl.Seek.class, new OperatorControl.SeekResult(List.of(), 0));
    with(
        client -> {
          assertThat(
                  client.exportCheckpoints(new ExportCheckpointsRequest("t", "from")).checkpoints())
              .isEqualTo(EXPORTED);
          client.cloneCheckpoints(new CloneCheckpointsRequest("t", "from", "to", true));
        });
    assertThat(asked)
        .containsExactly(
            new Control.TunnelName("t", "from"),
            new Control.TunnelName("t", "from"),
            TunnelAnswers.payload(
                SeekTunnelRequest.toCheckpoints("t", "to", EXPORTED).dryRun(true)));
    assertThatThrownBy(() -> new CloneCheckpointsRequest("t", "from", "from"))
        .hasMessage("the progress of tunnel 'from' would be cloned onto itself");
  }

  @Test
  void a_session_is_ended_and_a_refusal_has_its_code() {
    serve(Operation.END_SESSION, OperatorControl.EndSession.class, new Control.Empty());
    with(
        client ->
            assertThat(client.endSession(new EndSessionRequest("t", "tun", "s1")))
                .isEqualTo(new EndSessionResponse()));
    assertThat(asked).containsExactly(new OperatorControl.EndSession("t", "tun", "s1"));
    server.on(
        Operation.END_SESSION,
        (connection, frame) -> connection.refuse(frame, ErrorCode.CHANNEL_NOT_FOUND));
    with(
        client ->
            assertThatThrownBy(() -> client.endSession(new EndSessionRequest("t", "tun", "s1")))
                .isInstanceOfSatisfying(
                    RefusedException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CHANNEL_NOT_FOUND)));
  }

  @Test
  void a_table_is_given_other_options() {
    serve(
        Operation.ALTER_TABLE,
        OperatorControl.AlterTable.class,
        new Control.TableDescription(1, FakeTable.meta(), 5, List.of()));
    OptionsChange options =
        new OptionsChange().withDurability(Durability.OS).withTtl(Duration.ofHours(1));
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(client.alterTable("t", options).createdMs()).isEqualTo(5);
    }
    assertThat(asked).containsExactly(new OperatorControl.AlterTable("t", options));
  }

  /** The first connection is lost with the request on it; a second would be answered. */
  private AtomicInteger loseFirst(Operation operation, Control answer) {
    AtomicInteger requests = new AtomicInteger();
    server.on(
        operation,
        (connection, frame) -> {
          if (requests.incrementAndGet() == 1) {
            connection.drop();
          } else {
            connection.answer(frame, Json.encode(answer));
          }
        });
    return requests;
  }

  @ParameterizedTest
  @EnumSource(names = {"PAUSE", "RESUME", "EXPORT_CHECKPOINTS"})
  void what_does_no_harm_twice_is_asked_again_when_the_answer_is_lost(Operation operation) {
    AtomicInteger requests =
        loseFirst(
            operation,
            operation == Operation.EXPORT_CHECKPOINTS ? CHECKPOINTS : new Control.Empty());
    with(
        client -> {
          switch (operation) {
            case PAUSE -> client.pauseTunnel(new PauseTunnelRequest("t", "tun"));
            case RESUME -> client.resumeTunnel(new ResumeTunnelRequest("t", "tun"));
            default -> client.exportCheckpoints(new ExportCheckpointsRequest("t", "tun"));
          }
        });
    assertThat(requests).hasValue(2);
  }

  @Test
  void a_seek_is_asked_again_when_its_answer_is_lost_because_it_is_done_once() {
    OperatorControl.SeekResult nothing = new OperatorControl.SeekResult(List.of(), 0);
    SeekTunnelRequest seek = SeekTunnelRequest.toLatest("t", "tun");
    AtomicInteger dry = loseFirst(Operation.SEEK, nothing);
    with(client -> assertThat(client.seekTunnel(seek.dryRun(true)).moves()).isEmpty());
    assertThat(dry).hasValue(2);
    AtomicInteger real = loseFirst(Operation.SEEK, nothing);
    with(client -> assertThat(client.seekTunnel(seek).moves()).isEmpty());
    assertThat(real).hasValue(2);
  }

  /** What it ends is stored nowhere: a second request could not be told from the first. */
  @Test
  void the_end_of_a_session_is_not_asked_for_again() {
    AtomicInteger requests = loseFirst(Operation.END_SESSION, new Control.Empty());
    with(
        client ->
            assertThatThrownBy(() -> client.endSession(new EndSessionRequest("t", "tun", "s")))
                .isInstanceOfSatisfying(
                    ConnectionException.class, e -> assertThat(e.retriable()).isFalse()));
    assertThat(requests).hasValue(1);
  }
}
