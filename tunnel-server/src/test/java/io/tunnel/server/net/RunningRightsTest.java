package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything that a connection keeps running is over as soon as its principal loses the right that
 * it runs by, in whichever way the principal loses the right.
 */
final class RunningRightsTest {

  private static final String TABLE = "mine";
  private static final String TUNNEL = "sync";
  private static final Bytes NO_KEY = Bytes.EMPTY;

  /** What a client keeps running beyond one request. */
  private enum Running {
    SESSION(Operation.OPEN_SESSION),
    DELIVERY_OF_CHANGES(Operation.ATTACH),
    DELIVERY_OF_ROWS(Operation.ATTACH),
    READING_OF_CHANGES(Operation.READ_PARTITION),
    READING_OF_ROWS(Operation.READ_PARTITION),
    WATCH(Operation.WATCH);

    private final Operation operation;

    Running(Operation operation) {
      this.operation = operation;
    }

    private boolean isOfTunnel() {
      return operation.right() == Operation.Right.CONSUME;
    }

    private String right() {
      return isOfTunnel() ? "consume" : "read";
    }

    private String resource() {
      return isOfTunnel() ? "tunnel:" + TABLE + "/" + TUNNEL : "table:" + TABLE;
    }
  }

  /** How a principal loses a right. */
  private enum Loss {
    WITHDRAWN,
    DENIED,
    GROUP_DENIED,
    LEFT_THE_GROUP,
    KEY_REVOKED
  }

  @TempDir private Path directory;
  private TestGate security;
  private TestNode node;
  private NetServer.Budgets budgets;
  private Requests requests;
  private KeySecret key;
  private EmbeddedChannel nettyChannel;
  private Connection connection;

  @BeforeEach
  void open() throws IOException {
    node = new TestNode(directory);
    node.view.level(2);
    security = new TestGate();
    requests = node.requests(security.gate);
    budgets = NetServer.Budgets.of(NetLimits.DEFAULT, 10, security.gate);
    key = security.create("bob");
    connection =
        new Connection(
            requests,
            new NetServer.Door(security.gate, Optional.empty(), AuditLog.none()),
            NetMeter.NONE,
            "server",
            budgets);
    nettyChannel = new EmbeddedChannel(connection);
    authenticate();
  }

  @AfterEach
  void close() throws IOException {
    nettyChannel.finishAndReleaseAll();
    node.close();
  }

  private void authenticate() {
    send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "client").encode());
    Bytes nonce = TestGate.bytes(0xcc);
    send(0, Operation.AUTHENTICATE, new Begin(key.key().id(), nonce).encode());
    Challenge challenge = (Challenge) Authentication.Answer.decode(said().get(1).payload());
    AuthenticationProof seen =
        new AuthenticationProof(
            key.key().id(), nonce, challenge.nonce(), AuthenticationProof.NO_CHANNEL);
    Bytes proof = seen.ofClient(key.secret().getBytes(StandardCharsets.UTF_8));
    send(0, Operation.AUTHENTICATE, new Prove(proof).encode());
    assertThat(said()).extracting(Frame::kind).containsExactly(FrameKind.RESPONSE);
  }

  private void send(int correlationId, Operation operation, byte[] payload) {
    Frame frame = new Frame(operation, FrameKind.REQUEST, correlationId, payload);
    nettyChannel.writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
  }

  private List<Frame> said() {
    return SentFrames.takenFrom(nettyChannel);
  }

  /**
   * What was said once the thread of the node's tunnels has done all that was asked before. Pushes
   * are left out: deliveries come from other threads, whenever these have read.
   */
  private List<Frame> saidAtRest() throws Exception {
    Callable<Boolean> nothing = () -> true;
    FutureTask<Boolean> rest = new FutureTask<>(nothing);
    node.control.execute(rest);
    assertThat(rest.get()).isTrue();
    return said().stream().filter(frame -> frame.kind() != FrameKind.PUSH).toList();
  }

  private String tunnel() throws IOException {
    try (RawClient operator = node.client()) {
      return operator
          .granted(
              Operation.CREATE_TUNNEL,
              new CreateTunnel(TABLE, TUNNEL, TunnelType.BaseAndStream, StreamStart.LATEST),
              TunnelInfo.class)
          .tunnelId();
    }
  }

  private void begin(Running running) throws Exception {
    send(1, running.operation, Json.encode(request(running)));
    List<Frame> answers = saidAtRest();
    assertThat(answers)
        .filteredOn(frame -> frame.correlationId() == 1)
        .as(() -> answers.stream().map(RunningRightsTest::text).toList().toString())
        .extracting(Frame::kind)
        .containsExactly(FrameKind.RESPONSE);
  }

  private static String text(Frame frame) {
    return frame.kind() + " " + new String(frame.payload(), StandardCharsets.UTF_8);
  }

  private Control request(Running running) throws IOException {
    int here = TestNode.first(node.mine);
    ReadPartition changes =
        new ReadPartition(here, ChannelType.Stream, 0, NO_KEY, Optional.empty(), Optional.empty());
    return switch (running) {
      case SESSION -> new OpenSession(tunnel(), "tag", 3_600_000, 0);
      case DELIVERY_OF_CHANGES -> attach(here, ChannelType.Stream);
      case DELIVERY_OF_ROWS -> attach(here, ChannelType.BaseData);
      case READING_OF_CHANGES -> changes;
      case READING_OF_ROWS ->
          new ReadPartition(
              here, ChannelType.BaseData, 0, NO_KEY, Optional.empty(), Optional.empty());
      case WATCH ->
          new Watch(changes, new KeyTerms(List.of(TestRows.keyBytes("a")), List.of(), true));
    };
  }

  private Attach attach(int partition, ChannelType type) {
    String channel = new ChannelKey(partition, type).channelId("t");
    Attach asked =
        new Attach(
            "t",
            channel,
            partition,
            type,
            1,
            0,
            NO_KEY,
            Optional.empty(),
            Optional.empty(),
            NO_KEY);
    long untilMs = node.clock.epochMicros() / 1_000 + AttachFixture.LIFE_MS;
    Terms terms =
        new Terms(TUNNEL, 0, Optional.empty(), Optional.empty(), untilMs, AttachFixture.LIFE_MS);
    return asked.withGrant(
        node.catalog.grants().of(new Granted(channel, partition, 1, "bob"), terms));
  }

  private void group(List<String> add, List<String> remove) throws IOException {
    Control unused =
        security.administration.changeGroup(
            Json.encode(new ChangeGroup("staff", add, remove)), security.caller("admin"));
  }

  private void allow(Running running, Loss loss) throws IOException {
    boolean isOfGroup = loss == Loss.LEFT_THE_GROUP || loss == Loss.GROUP_DENIED;
    group(List.of("bob"), List.of());
    security.allow(isOfGroup ? "group:staff" : "bob", running.resource(), running.right());
  }

  private void lose(Running running, Loss loss) throws IOException {
    switch (loss) {
      case WITHDRAWN -> security.withdraw("bob", running.resource(), running.right());
      case DENIED -> security.deny("bob", running.resource(), running.right());
      case GROUP_DENIED -> security.deny("group:staff", running.resource(), running.right());
      case LEFT_THE_GROUP -> group(List.of(), List.of("bob"));
      case KEY_REVOKED -> security.revoke(key.key().id());
    }
  }

  static Stream<Arguments> losses() {
    return Arrays.stream(Running.values())
        .flatMap(running -> Arrays.stream(Loss.values()).map(loss -> Arguments.of(running, loss)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("losses")
  void ends_when_its_right_is_lost(Running running, Loss loss) throws Exception {
    allow(running, loss);
    begin(running);
    connection.reviseRights();
    assertThat(saidAtRest()).as("nothing has changed").isEmpty();
    lose(running, loss);
    connection.reviseRights();
    List<Frame> last = saidAtRest();
    assertThat(last).extracting(Frame::kind).containsExactly(FrameKind.ERROR);
    assertThat(ErrorPayload.decode(last.get(0).payload()).code())
        .isIn(
            ErrorCode.NOT_PERMITTED,
            ErrorCode.NOT_AUTHENTICATED,
            ErrorCode.TABLE_NOT_FOUND,
            ErrorCode.TUNNEL_NOT_FOUND);
    assertThat(nettyChannel.isActive()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void goes_on_when_other_rights_are_lost(Running running) throws Exception {
    allow(running, Loss.WITHDRAWN);
    security.allow("bob", "table:" + TABLE, "write");
    security.allow("bob", "table:theirs", "read");
    begin(running);
    security.withdraw("bob", "table:" + TABLE, "write");
    security.withdraw("bob", "table:theirs", "read");
    security.deny("bob", "tunnel:" + TABLE + "/other", "consume");
    connection.reviseRights();
    assertThat(saidAtRest()).isEmpty();
    assertThat(nettyChannel.isActive()).isTrue();
  }

  /** A request that begins something by the right to read or to consume is one of these. */
  @Test
  void each_operation_that_begins_something_is_here() {
    assertThat(Arrays.stream(Running.values()).map(running -> running.operation).distinct())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Operation.values())
                .filter(operation -> operation.repeat() == Operation.Repeat.NEVER)
                .filter(
                    operation ->
                        operation.right() == Operation.Right.READ
                            || operation.right() == Operation.Right.CONSUME)
                .toList());
  }
}
