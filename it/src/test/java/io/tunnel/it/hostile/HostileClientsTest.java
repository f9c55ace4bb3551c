package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that want to take a server down, bounded in count and time; beside ordinary clients,
 * which must hardly notice.
 */
@Tag("proof-hostile")
class HostileClientsTest {

  private static final long MIB = 1 << 20;

  /** What docs/operate/configuration.md names, of which the first is the heap of a server. */
  private static final long HEAP_BYTES = 1024 * MIB;

  private static final long PARTIAL_BYTES_MAX = 64 * MIB;
  private static final long ANSWER_BYTES_MAX = 128 * MIB;
  private static final long STORE_BYTES = (3 * 64 + 64) * MIB;

  /** Code, stacks, and what a JVM and an allocator keep beside. */
  private static final long PROGRAM_BYTES = 256 * MIB;

  /** Tests run on two cores that have other things to do. */
  private static final double P99_MS_MIN = 300;

  private static final int QUIET_WINDOWS = 3;
  private static final double HEALTH_MS_MAX = 1_000;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static ServerProcess server;
  private static Patience patience;
  private static double quietMs;
  private static int httpPort;
  private static int tableId;

  private int begun;
  private final List<AutoCloseable> hostile = new ArrayList<>();

  @BeforeAll
  static void begin() {
    calm = new CalmServer(STAGE, STAGE.shippedServer());
    server = calm.server();
    httpPort = server.httpPort();
    writeLargeRows();
    patience = new Patience(STAGE, server);
    // Until everything was compiled once, the figures say little.
    Poll.until("a first window", () -> patience.hasMade(0, 1));
    int from = patience.rounds();
    Poll.until("quiet windows", () -> patience.hasMade(from, QUIET_WINDOWS));
    quietMs = patience.p99Ms(from);
  }

  private static void writeLargeRows() {
    TableClient tables = STAGE.tables(server);
    tableId = new TestTable("large", 1).create(tables).tableId();
    byte[] value = new byte[1_900_000];
    for (int i = 0; i < 8; i++) {
      RowPutChange row =
          new RowPutChange(
              TestTable.key(i, "row"),
              List.of(
                  new Column("a", ColumnValue.fromBinary(value)),
                  new Column("b", ColumnValue.fromBinary(value))));
      assertThat(tables.write("large", List.of(row)).allApplied()).isTrue();
    }
  }

  @AfterAll
  static void end() throws IOException {
    patience.stop();
    calm.requireUndisturbed();
    assertThat(peakBytes())
        .as("resident memory at its highest, under an attack or not")
        .isLessThan(HEAP_BYTES + ANSWER_BYTES_MAX + STORE_BYTES + PROGRAM_BYTES);
  }

  /** As the system counts it. */
  private static long peakBytes() throws IOException {
    String status = Files.readString(Path.of("/proc/" + server.child().pid() + "/status"));
    Matcher peak = Pattern.compile("VmHWM:\\s+(\\d+) kB").matcher(status);
    assertThat(peak.find()).isTrue();
    return Long.parseLong(peak.group(1)) * 1024;
  }

  @BeforeEach
  void attack() {
    begun = patience.rounds();
  }

  @AfterEach
  void the_ordinary_clients_have_hardly_noticed() throws Exception {
    List<Double> healthMs = new ArrayList<>();
    Poll.until(
        "windows under attack",
        () -> {
          healthMs.add(healthMs());
          return patience.hasMade(begun, QUIET_WINDOWS);
        });
    patience.requireCalm();
    double attackedMs = patience.p99Ms(begun);
    healthMs.sort(null);
    assertThat(attackedMs)
        .as("p99 of an ordinary client, quiet: %s ms", quietMs)
        .isLessThan(Math.max(P99_MS_MIN, 3 * quietMs));
    assertThat(healthMs.get(healthMs.size() * 9 / 10)).as("/health").isLessThan(HEALTH_MS_MAX);
    assertThat(figure("tunnel_net_partial_bytes")).isLessThanOrEqualTo(PARTIAL_BYTES_MAX);
    assertThat(figure("tunnel_net_untaken_bytes")).isLessThanOrEqualTo(ANSWER_BYTES_MAX);
    for (AutoCloseable one : hostile) {
      one.close();
    }
    calm.requireHealthy();
  }

  /** How long health takes to be answered, without what a client of HTTP needs to begin. */
  private static double healthMs() {
    long started = System.nanoTime();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), httpPort)) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(
              "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200").contains("\"UP\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (System.nanoTime() - started) / 1e6;
  }

  private static double figure(String name) {
    return server
        .http("/metrics", 200)
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private RawClient greeted() {
    RawClient client = RawClient.greeted(server);
    hostile.add(client);
    return client;
  }

  private RawClient silent() {
    RawClient client = RawClient.silent(server);
    hostile.add(client);
    return client;
  }

  private static byte[] headerOf(Operation operation, int frameBytes) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation.code(), FrameKind.REQUEST, 5, 0);
    Binary.putInt(header, 0, frameBytes);
    return header;
  }

  @Test
  void strangers_that_announce_large_frames_cost_nothing() {
    for (int i = 0; i < 100; i++) {
      RawClient client = silent();
      client.sendAndStay(headerOf(Operation.HELLO, Limits.FRAME_BYTES_MAX));
      assertThat(client.closedWith(0, 0).code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE);
    }
    assertThat(figure("tunnel_net_partial_bytes")).isLessThan(MIB);
  }

  @Test
  void large_frames_that_are_begun_and_left_are_given_up() {
    byte[] nearlyAll = new byte[Limits.FRAME_BYTES_MAX - 100];
    for (int i = 0; i < 100; i++) {
      RawClient client = greeted();
      client.sendAndStay(headerOf(Operation.WRITE, Limits.FRAME_BYTES_MAX));
      client.sendAndStay(nearlyAll);
    }
    assertThat(figure("tunnel_net_closed_total{why=\"FRAME_CROWDED_OUT\"}")).isGreaterThan(50);
  }

  @Test
  void large_rows_that_are_asked_for_and_never_taken_are_not_read() throws IOException {
    byte[] range =
        new RangeRequest(tableId, Direction.FORWARD, 5_000, 4 << 20, Bytes.EMPTY, Bytes.EMPTY)
            .encode();
    ByteArrayOutputStream many = new ByteArrayOutputStream();
    for (int i = 0; i < 600; i++) {
      many.write(RawClient.bytesOf(Operation.GET_RANGE.code(), FrameKind.REQUEST, i + 1, range));
    }
    for (int i = 0; i < 100; i++) {
      greeted().sendAndStay(many.toByteArray());
    }
  }

  @Test
  void descriptions_that_are_asked_for_by_the_thousand_hold_nobody_up() throws IOException {
    byte[] name = Json.encode(new TableName("large"));
    ByteArrayOutputStream many = new ByteArrayOutputStream();
    for (int i = 0; i < 2_000; i++) {
      many.write(RawClient.bytesOf(Operation.DESCRIBE_TABLE.code(), FrameKind.REQUEST, i, name));
    }
    for (int i = 0; i < 4; i++) {
      greeted().sendAndStay(many.toByteArray());
    }
  }

  @Test
  void idle_sockets_keep_nobody_out() throws IOException {
    for (int i = 0; i < 1_500; i++) {
      hostile.add(new Socket(InetAddress.getLoopbackAddress(), httpPort));
    }
    for (int i = 0; i < 300; i++) {
      silent();
    }
    greeted().requireOpen();
  }

  @Test
  void sessions_by_the_thousand_are_refused_and_their_end_holds_nobody_up() {
    RawClient client = greeted();
    String tunnelId = new TestTable("calm", 4).createTunnel(STAGE.tunnels(server), "swarm");
    int opened = 0;
    int refused = 0;
    while (opened + refused < 5_000) {
      Frame answer =
          client.ask(
              Operation.OPEN_SESSION.code(),
              Json.encode(new SessionControl.OpenSession(tunnelId, "swarm", 60_000, 0)));
      if (answer.kind() == FrameKind.RESPONSE) {
        opened++;
      } else {
        assertThat(RawClient.errorOf(answer).code()).isEqualTo(ErrorCode.BUSY);
        refused++;
      }
      var unused = client.takePushed();
    }
    assertThat(opened).isEqualTo(1_024);
    client.close();
  }
}
