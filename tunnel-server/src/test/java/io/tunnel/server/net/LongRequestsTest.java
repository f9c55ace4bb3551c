package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who waits for a request that is long to parse. */
final class LongRequestsTest {

  private static final Heartbeat HEARTBEAT = new Heartbeat("none", List.of());
  private static final byte[] ECHO = new EchoRequest(false, Bytes.EMPTY).encode();

  /** The thread that parses; a test runs it. */
  private static final class Parser implements Executor {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private boolean isFull;

    @Override
    public void execute(Runnable task) {
      if (isFull) {
        throw new RejectedExecutionException();
      }
      tasks.add(task);
    }

    void runNext() {
      tasks.remove().run();
    }
  }

  @TempDir private Path directory;
  private final Parser parser = new Parser();
  private final Queue<EmbeddedChannel> nettyChannels = new ArrayDeque<>();
  private NetServer.Budgets budgets;
  private TestGate security;
  private TestNode node;
  private Requests requests;

  @BeforeEach
  void open() throws IOException {
    node = TestNode.describing(directory, parser);
    security = new TestGate();
    requests = node.requests(security.gate);
    budgets = NetServer.Budgets.of(NetLimits.DEFAULT, 10, security.gate);
  }

  @AfterEach
  void close() throws IOException {
    nettyChannels.forEach(EmbeddedChannel::finishAndReleaseAll);
    node.close();
  }

  /** A connection of somebody with a key. */
  private final class Client {
    private final Connection connection =
        new Connection(
            requests,
            new NetServer.Door(security.gate, Optional.empty(), AuditLog.none()),
            NetMeter.NONE,
            "server",
            budgets);
    private final EmbeddedChannel nettyChannel = new EmbeddedChannel(connection);

    Client(KeySecret key) {
      nettyChannels.add(nettyChannel);
      send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "client").encode());
      Bytes nonce = TestGate.bytes(0xcc);
      send(0, Operation.AUTHENTICATE, new Begin(key.key().id(), nonce).encode());
      List<Frame> said = said();
      Challenge challenge = (Challenge) Authentication.Answer.decode(said.get(1).payload());
      AuthenticationProof seen =
          new AuthenticationProof(
              key.key().id(), nonce, challenge.nonce(), AuthenticationProof.NO_CHANNEL);
      Bytes proof = seen.ofClient(key.secret().getBytes(StandardCharsets.UTF_8));
      send(0, Operation.AUTHENTICATE, new Prove(proof).encode());
      assertThat(said()).extracting(Frame::kind).containsExactly(FrameKind.RESPONSE);
    }

    void send(int correlationId, Operation operation, byte[] payload) {
      Frame frame = new Frame(operation, FrameKind.REQUEST, correlationId, payload);
      nettyChannel.writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
    }

    List<Frame> said() {
      return SentFrames.takenFrom(nettyChannel);
    }

    List<Integer> answered() {
      return said().stream().map(Frame::correlationId).toList();
    }
  }

  /** A request in that many bytes. */
  private static byte[] padded(Control request, int bytes) {
    byte[] text = Json.encode(request);
    byte[] payload = Arrays.copyOf(text, bytes);
    Arrays.fill(payload, text.length, bytes, (byte) ' ');
    return payload;
  }

  private static byte[] padded(Control request) {
    return padded(request, LongRequests.PARSED_AT_ONCE_BYTES_MAX + 1);
  }

  @Test
  void a_principals_long_requests_wait_for_each_other_and_nobody_else_does() throws IOException {
    KeySecret key = security.create("eve");
    Client eve = new Client(key);
    Client other = new Client(key);
    Client bob = new Client(security.create("bob"));
    eve.send(1, Operation.HEARTBEAT, padded(HEARTBEAT));
    other.send(2, Operation.HEARTBEAT, padded(HEARTBEAT));
    assertThat(eve.said()).isEmpty();
    assertThat(parser.tasks).as("one of the principal").hasSize(1);
    bob.send(3, Operation.HEARTBEAT, Json.encode(HEARTBEAT));
    assertThat(ErrorPayload.decode(bob.said().get(0).payload()).code())
        .isEqualTo(ErrorCode.SESSION_ENDED);
    bob.send(4, Operation.HEARTBEAT, padded(HEARTBEAT));
    assertThat(parser.tasks).hasSize(2);
    parser.runNext();
    assertThat(ErrorPayload.decode(eve.said().get(0).payload()).code())
        .isEqualTo(ErrorCode.SESSION_ENDED);
    parser.runNext();
    assertThat(bob.answered()).containsExactly(4);
    parser.runNext();
    assertThat(other.answered()).containsExactly(2);
    assertThat(budgets.requests().taken()).isZero();
  }

  @Test
  void the_longest_that_the_event_loop_parses_is_answered_at_once() throws IOException {
    Client eve = new Client(security.create("eve"));
    eve.send(1, Operation.HEARTBEAT, padded(HEARTBEAT, LongRequests.PARSED_AT_ONCE_BYTES_MAX));
    assertThat(eve.answered()).containsExactly(1);
    eve.send(
        2,
        Operation.ECHO,
        new EchoRequest(false, Bytes.copyOf(new byte[2 * LongRequests.PARSED_AT_ONCE_BYTES_MAX]))
            .encode());
    assertThat(eve.answered()).as("it is not in JSON").containsExactly(2);
    assertThat(parser.tasks).isEmpty();
  }

  @Test
  void the_event_loop_parses_few_of_the_requests_that_come_at_once_and_keeps_their_order()
      throws IOException {
    Client eve = new Client(security.create("eve"));
    int each = LongRequests.PARSED_AT_ONCE_BYTES_MAX / 4;
    ByteBuf atOnce = Unpooled.buffer();
    for (int id = 1; id <= 6; id++) {
      byte[] payload = padded(HEARTBEAT, each);
      Frame frame = new Frame(Operation.HEARTBEAT, FrameKind.REQUEST, id, payload);
      atOnce.writeBytes(frame.header()).writeBytes(frame.payload());
    }
    eve.nettyChannel.writeInbound(atOnce);
    assertThat(eve.answered()).containsExactly(1, 2, 3, 4);
    parser.runNext();
    assertThat(eve.answered())
        .as("and those behind it, when the loop has been elsewhere")
        .containsExactly(5, 6);
    assertThat(parser.tasks).isEmpty();
    eve.send(7, Operation.HEARTBEAT, padded(HEARTBEAT, each));
    assertThat(eve.answered()).containsExactly(7);
    assertThat(budgets.requests().taken()).isZero();
  }

  @Test
  void a_connections_requests_keep_their_order() throws IOException {
    Client eve = new Client(security.create("eve"));
    eve.send(1, Operation.ECHO, ECHO);
    eve.send(2, Operation.HEARTBEAT, padded(HEARTBEAT));
    eve.send(3, Operation.ECHO, ECHO);
    eve.send(4, Operation.HEARTBEAT, padded(HEARTBEAT));
    eve.send(5, Operation.ECHO, ECHO);
    assertThat(eve.answered()).containsExactly(1);
    parser.runNext();
    assertThat(eve.answered()).containsExactly(2, 3);
    parser.runNext();
    assertThat(eve.answered()).containsExactly(4, 5);
    assertThat(budgets.requests().taken()).isZero();
  }

  @Test
  void a_connection_that_closes_while_its_request_waits_gives_turn_and_memory_back()
      throws IOException {
    KeySecret key = security.create("eve");
    Client closing = new Client(key);
    Client other = new Client(key);
    closing.send(1, Operation.HEARTBEAT, padded(HEARTBEAT));
    closing.send(2, Operation.ECHO, ECHO);
    other.send(3, Operation.HEARTBEAT, padded(HEARTBEAT));
    closing.nettyChannel.close();
    parser.runNext();
    closing.nettyChannel.runPendingTasks();
    parser.runNext();
    assertThat(other.answered()).containsExactly(3);
    assertThat(budgets.requests().taken()).isZero();
    assertThat(parser.tasks).isEmpty();
  }

  @Test
  void a_request_for_which_there_is_no_place_is_refused_in_a_while_and_the_connection_goes_on()
      throws IOException {
    Client eve = new Client(security.create("eve"));
    eve.nettyChannel.freezeTime();
    parser.isFull = true;
    eve.send(1, Operation.HEARTBEAT, padded(HEARTBEAT));
    assertThat(budgets.requests().taken()).isEqualTo(OpenRequests.OVERHEAD_BYTES);
    eve.send(2, Operation.ECHO, ECHO);
    assertThat(eve.said()).isEmpty();
    eve.nettyChannel.advanceTimeBy(LongRequests.REFUSED_AFTER_MS, TimeUnit.MILLISECONDS);
    List<Frame> said = eve.said();
    assertThat(said).extracting(Frame::correlationId).containsExactly(1);
    assertThat(eve.answered()).containsExactly(2);
    assertThat(ErrorPayload.decode(said.get(0).payload()).code()).isEqualTo(ErrorCode.BUSY);
    assertThat(budgets.requests().taken()).isZero();
    parser.isFull = false;
    eve.send(3, Operation.HEARTBEAT, padded(HEARTBEAT));
    parser.runNext();
    assertThat(eve.answered()).containsExactly(3);
  }

  @Test
  void an_error_ends_the_turn_and_lets_the_connection_go_on() throws IOException {
    Client eve = new Client(security.create("eve"));
    LongRequests longRequests = new LongRequests(parser);
    Frame first = new Frame(Operation.SEEK, FrameKind.REQUEST, 1, new byte[1 << 20]);
    longRequests.begin(
        first,
        eve.connection,
        () -> {
          throw new StackOverflowError("a bug");
        });
    eve.send(2, Operation.ECHO, ECHO);
    assertThat(eve.said()).isEmpty();
    assertThatThrownBy(parser::runNext).hasMessage("a bug");
    assertThat(eve.answered()).containsExactly(2);
    longRequests.begin(
        new Frame(Operation.SEEK, FrameKind.REQUEST, 3, new byte[1]), eve.connection, () -> {});
    assertThat(parser.tasks).hasSize(1);
  }

  @Test
  void what_is_read_with_a_long_request_is_delivered_by_the_event_loop() throws IOException {
    ReadPartition request =
        new ReadPartition(
            TestNode.first(node.mine),
            ChannelType.Stream,
            0,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.empty());
    try (RawClient client = node.client()) {
      int sent = client.send(Operation.READ_PARTITION, padded(request));
      int echoed = client.send(Operation.ECHO, ECHO);
      try (RawClient other = node.client()) {
        other.granted(Operation.ECHO, ECHO);
        while (parser.tasks.isEmpty()) {
          other.granted(Operation.ECHO, ECHO);
        }
      }
      assertThat(node.readings.count()).isZero();
      parser.runNext();
      Frame answer = client.answer(Operation.READ_PARTITION, sent);
      assertThat(Json.decode(answer.payload(), Attached.class).handle()).isPositive();
      assertThat(client.answer(Operation.ECHO, echoed).kind()).isEqualTo(FrameKind.RESPONSE);
      assertThat(node.readings.count()).isEqualTo(1);
    }
  }
}
