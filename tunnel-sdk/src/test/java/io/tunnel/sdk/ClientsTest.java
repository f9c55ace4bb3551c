package io.tunnel.sdk;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.CreateTunnelResponse;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelResponse;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.wire.Capabilities;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the table client and the tunnel client ask of a server, and how that may fail. */
class ClientsTest {

  /** To end it is a change without an id, which is not repeated. */
  private static final EndSessionRequest SESSION = new EndSessionRequest("t", "sync", "s-1");

  private final FakeServer server = new FakeServer();

  @AfterEach
  void close() {
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  @Test
  void tables_are_created_described_listed_and_dropped() {
    FakeTable table = new FakeTable(4, 1, 10).serve(server);
    AtomicReference<Control.CreateTable> created = new AtomicReference<>();
    server.on(
        Operation.CREATE_TABLE,
        (connection, frame) -> {
          created.set(Json.decode(frame.payload(), Control.CreateTable.class));
          connection.answer(frame, table.description());
        });
    server.on(Operation.DESCRIBE_TABLE, (c, frame) -> c.answer(frame, table.description()));
    server.on(
        Operation.LIST_TABLES,
        (c, frame) -> c.answer(frame, Json.encode(new Control.TableList(List.of("a", "t")))));
    server.on(Operation.DROP_TABLE, (c, frame) -> c.refuse(frame, ErrorCode.TABLE_NOT_FOUND));
    try (TableClient client = TableClient.connect(server.config())) {
      List<PrimaryKeyValue> points = List.of(PrimaryKeyValue.fromLong(10));
      assertThat(client.createTable(FakeTable.meta(), points).tableId()).isEqualTo(4);
      assertThat(created.get()).isEqualTo(new Control.CreateTable(FakeTable.meta(), points));
      assertThat(client.describeTable("t").partitions()).hasSize(2);
      assertThat(client.listTables()).containsExactly("a", "t");
      assertThatThrownBy(() -> client.dropTable("t"))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    }
  }

  @Test
  void reads_are_repeated_and_changes_only_when_they_were_not_applied() {
    AtomicInteger lists = new AtomicInteger();
    AtomicInteger ends = new AtomicInteger();
    server.on(
        Operation.LIST_TABLES,
        (connection, frame) -> {
          switch (lists.incrementAndGet()) {
            case 1 -> connection.refuse(frame, ErrorCode.BUSY);
            case 2 -> connection.drop();
            default -> connection.answer(frame, Json.encode(new Control.TableList(List.of("t"))));
          }
        });
    server.on(
        Operation.END_SESSION,
        (connection, frame) -> {
          if (ends.incrementAndGet() == 1) {
            connection.refuse(frame, ErrorCode.SHUTTING_DOWN);
          } else {
            connection.drop();
          }
        });
    try (TableClient client = TableClient.connect(server.config());
        TunnelClient tunnels = new TunnelClient(server.config())) {
      assertThat(client.listTables()).containsExactly("t");
      assertThat(lists).hasValue(3);
      assertThatThrownBy(() -> tunnels.endSession(SESSION))
          .isInstanceOfSatisfying(
              ConnectionException.class, e -> assertThat(e.retriable()).isFalse());
      assertThat(ends).hasValue(2);
    }
  }

  @Test
  void a_ping_is_one_request_whose_bytes_come_back() {
    List<EchoRequest> asked = new ArrayList<>();
    server.on(
        Operation.ECHO,
        (connection, frame) -> {
          EchoRequest echo = EchoRequest.decode(frame.payload());
          asked.add(echo);
          connection.answer(frame, asked.size() == 3 ? new byte[] {7} : echo.answer());
        });
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(client.ping()).isPositive();
      assertThat(client.ping(EchoRequest.DATA_BYTES_MAX)).isPositive();
      assertThatThrownBy(() -> client.ping(2))
          .isInstanceOf(ConnectionException.class)
          .hasMessage("the server answered a ping of 2 bytes with other bytes");
      for (int wrong : new int[] {-1, EchoRequest.DATA_BYTES_MAX + 1}) {
        assertThatThrownBy(() -> client.ping(wrong))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("a ping has 0 to 65536 bytes, not " + wrong);
      }
      assertThat(asked).extracting(echo -> echo.data().length()).containsExactly(56, 65_536, 2);
      assertThat(asked).allMatch(EchoRequest::isRepeated);

      server.on(Operation.ECHO, (connection, frame) -> connection.refuse(frame, ErrorCode.BUSY));
      assertThatThrownBy(client::ping)
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }
  }

  @Test
  void a_server_without_echo_is_said_to_be_older() {
    server.on(
        Operation.ECHO,
        (connection, frame) -> connection.refuse(frame, ErrorCode.UNKNOWN_OPERATION));
    try (TableClient client = TableClient.connect(server.config())) {
      assertThatThrownBy(client::ping)
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATION))
          .hasMessageContaining("the server is older than this client")
          .hasMessageContaining("upgrade the server");
    }
  }

  @Test
  void a_server_that_says_nothing_is_given_up_at_the_deadline() {
    server.on(Operation.END_SESSION, (connection, frame) -> {});
    ClientConfig config = server.config().withRequestDeadline(Duration.ofMillis(100));
    try (TunnelClient tunnels = new TunnelClient(config)) {
      assertThatThrownBy(() -> tunnels.endSession(SESSION))
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining("did not answer END_SESSION within PT0.1S");
      Waits.until("the dead connection is closed", () -> server.connections().isEmpty());
    }
    server.on(Operation.HELLO, (connection, frame) -> {});
    assertThatThrownBy(
            () -> TableClient.connect(config.withConnectDeadline(Duration.ofMillis(100))))
        .isInstanceOfSatisfying(ConnectionException.class, e -> assertThat(e.retriable()).isTrue());
  }

  @Test
  void garbage_and_half_frames_end_a_request_with_an_error() {
    server.on(
        Operation.END_SESSION, (connection, frame) -> connection.raw(new byte[] {0, 0, 0, 9, 1}));
    ClientConfig config = server.config().withRequestDeadline(Duration.ofMillis(150));
    try (TunnelClient tunnels = new TunnelClient(config)) {
      assertThatThrownBy(() -> tunnels.endSession(SESSION)).isInstanceOf(ConnectionException.class);
      server.on(
          Operation.END_SESSION,
          (connection, frame) -> connection.raw("HTTP/1.1 400 Bad Request".getBytes(US_ASCII)));
      assertThatThrownBy(() -> tunnels.endSession(SESSION))
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining("frame");
      server.on(
          Operation.END_SESSION,
          (connection, frame) -> connection.error(0, 0, ErrorCode.FRAME_TOO_LARGE));
      assertThatThrownBy(() -> tunnels.endSession(SESSION))
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining("FRAME_TOO_LARGE");
    }
  }

  @Test
  void another_version_and_no_server_are_told_apart() {
    server.on(Operation.HELLO, (c, frame) -> c.refuse(frame, ErrorCode.UNSUPPORTED_VERSION));
    assertThatThrownBy(() -> TableClient.connect(server.config()))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION));
    server.on(
        Operation.HELLO,
        (c, frame) ->
            c.answer(frame, Hello.request(new Capabilities(7, 9, List.of()), "later").encode()));
    assertThatThrownBy(() -> TableClient.connect(server.config()))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION))
        .hasMessageContaining("this client speaks version 1 of the protocol, not version 7")
        .hasMessageContaining("versions 7 to 9");
    server.on(Operation.HELLO, (c, frame) -> c.answer(frame, new byte[] {'H', 'T', 'T', 'P'}));
    assertThatThrownBy(() -> TableClient.connect(server.config()))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("TNL1");
    server.goAway();
    assertThatThrownBy(() -> TableClient.connect(server.config()))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("cannot connect to 127.0.0.1");
  }

  @Test
  void a_closed_client_fails_at_once_also_what_was_waiting() {
    AtomicInteger asked = new AtomicInteger();
    server.on(
        Operation.LIST_TABLES,
        (connection, frame) -> {
          asked.incrementAndGet();
          connection.refuse(frame, ErrorCode.BUSY);
        });
    TableClient client =
        TableClient.connect(
            server
                .config()
                .withRetryDeadline(Duration.ofHours(1))
                .withWriteRetryDeadline(Duration.ofHours(1)));
    CompletableFuture<List<String>> waiting = CompletableFuture.supplyAsync(client::listTables);
    Waits.until("it was asked", () -> asked.get() > 2);
    client.close();
    client.close();
    assertThatThrownBy(waiting::join).isNotNull();
    assertThatThrownBy(client::listTables)
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void waiting_on_a_callback_thread_is_refused() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    PrimaryKey key = PrimaryKey.builder().add("id", 1).build();
    AtomicReference<Runnable> answer = new AtomicReference<>();
    server.on(
        Operation.WRITE,
        (connection, frame) ->
            answer.set(
                () ->
                    connection.answer(
                        frame,
                        table.apply(WriteRequest.decode(frame.payload()).batch()).encode())));
    try (TableClient client = TableClient.connect(server.config())) {
      CompletableFuture<Void> done =
          client
              .writeAsync("t", List.of(new RowPutChange(key, List.of())))
              .thenAccept(
                  result ->
                      assertThatThrownBy(client::listTables)
                          .isInstanceOf(IllegalStateException.class)
                          .hasMessageContaining("callback thread"));
      Waits.until("the write is sent", () -> answer.get() != null);
      answer.get().run();
      done.join();
    }
  }

  @Test
  void tunnels_are_created_listed_described_and_deleted() {
    Control.TunnelInfo info =
        new Control.TunnelInfo("id1", "tun", "t", TunnelType.Stream, StreamStart.EARLIEST, 99);
    AtomicReference<Control.CreateTunnel> created = new AtomicReference<>();
    List<String> listed = new ArrayList<>();
    server.on(
        Operation.CREATE_TUNNEL,
        (connection, frame) -> {
          created.set(Json.decode(frame.payload(), Control.CreateTunnel.class));
          connection.answer(frame, Json.encode(info));
        });
    server.on(
        Operation.LIST_TUNNELS,
        (connection, frame) -> {
          listed.add(frame.payload().length == 0 ? "all" : "one");
          connection.answer(frame, Json.encode(new Control.TunnelList(List.of(info))));
        });
    Control.ChannelDescription channel =
        new Control.ChannelDescription(
            "1_9",
            1,
            ChannelStatus.OPEN,
            Optional.of("s1"),
            Optional.of("me"),
            3,
            10,
            20,
            30,
            20,
            999,
            7,
            ChannelType.Stream,
            false,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    server.on(
        Operation.DESCRIBE_TUNNEL,
        (connection, frame) ->
            connection.answer(
                frame, Json.encode(new Control.TunnelDescription(info, List.of(channel)))));
    server.on(
        Operation.DELETE_TUNNEL, (connection, frame) -> connection.answer(frame, new byte[0]));
    try (TunnelClient client = new TunnelClient(server.config())) {
      CreateTunnelResponse response =
          client.createTunnel(
              new CreateTunnelRequest("t", "tun", TunnelType.Stream, StreamStart.EARLIEST));
      assertThat(response.getTunnelId()).isEqualTo("id1");
      assertThat(created.get().start()).isEqualTo(StreamStart.EARLIEST);
      assertThat(new CreateTunnelRequest("t", "tun", TunnelType.Stream).start())
          .isEqualTo(StreamStart.LATEST);
      assertThat(client.listTunnel(new ListTunnelRequest("t")).getTunnelInfos()).hasSize(1);
      assertThat(client.listTunnel(new ListTunnelRequest((String) null)).getTunnelInfos())
          .extracting(TunnelInfo::getTunnelName)
          .containsExactly("tun");
      assertThat(listed).containsExactly("one", "all");
      DescribeTunnelResponse described =
          client.describeTunnel(new DescribeTunnelRequest("t", "tun"));
      ChannelInfo only = described.getChannelInfos().get(0);
      assertThat(only.getChannelStatus()).isEqualTo(ChannelStatus.OPEN);
      assertThat(only.getClientId()).isEqualTo("s1");
      assertThat(only.lagRows()).isEqualTo(20);
      assertThat(client.deleteTunnel(new DeleteTunnelRequest("t", "tun")))
          .isEqualTo(new DeleteTunnelResponse());
    }
  }
}
