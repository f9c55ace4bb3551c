package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
 * it runs by, in whichever way the principal loses the right; the audit log says so.
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
  private GatedConnection bob;

  @BeforeEach
  void open() throws IOException {
    bob = GatedConnection.ofBob(directory);
  }

  @AfterEach
  void close() throws IOException {
    bob.close();
  }

  private String tunnel() throws IOException {
    try (RawClient operator = bob.node.client()) {
      return operator
          .granted(
              Operation.CREATE_TUNNEL,
              new CreateTunnel(TABLE, TUNNEL, TunnelType.BaseAndStream, StreamStart.LATEST),
              TunnelInfo.class)
          .tunnelId();
    }
  }

  private void begin(Running running) throws Exception {
    bob.send(1, running.operation, Json.encode(request(running)));
    List<Frame> answers = bob.saidAtRest();
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
    int here = TestNode.first(bob.node.mine);
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
    long untilMs = bob.node.clock.epochMicros() / 1_000 + AttachFixture.LIFE_MS;
    Terms terms =
        new Terms(TUNNEL, 0, Optional.empty(), Optional.empty(), untilMs, AttachFixture.LIFE_MS);
    return asked.withGrant(
        bob.node.catalog.grants().of(new Granted(channel, partition, 1, "bob"), terms));
  }

  private void group(List<String> add, List<String> remove) throws IOException {
    Control unused =
        bob.security.administration.changeGroup(
            Json.encode(new ChangeGroup("staff", add, remove)), bob.security.caller("admin"));
  }

  private void allow(Running running, Loss loss) throws IOException {
    boolean isOfGroup = loss == Loss.LEFT_THE_GROUP || loss == Loss.GROUP_DENIED;
    group(List.of("bob"), List.of());
    bob.security.allow(isOfGroup ? "group:staff" : "bob", running.resource(), running.right());
  }

  private void lose(Running running, Loss loss) throws IOException {
    switch (loss) {
      case WITHDRAWN -> bob.security.withdraw("bob", running.resource(), running.right());
      case DENIED -> bob.security.deny("bob", running.resource(), running.right());
      case GROUP_DENIED -> bob.security.deny("group:staff", running.resource(), running.right());
      case LEFT_THE_GROUP -> group(List.of(), List.of("bob"));
      case KEY_REVOKED -> bob.security.revoke(bob.key.key().id());
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
    bob.reviseRights();
    assertThat(bob.saidAtRest()).as("nothing has changed").isEmpty();
    assertThat(bob.audited()).isEmpty();
    lose(running, loss);
    bob.reviseRights();
    List<Frame> last = bob.saidAtRest();
    assertThat(last).extracting(Frame::kind).containsExactly(FrameKind.ERROR);
    ErrorCode why = ErrorPayload.decode(last.get(0).payload()).code();
    assertThat(bob.audited())
        .singleElement()
        .asString()
        .contains("\"principal\":\"bob\"", "\"operation\":\"CONNECTION\"")
        .endsWith("\"outcome\":\"" + why + "\"}");
    assertThat(why)
        .isIn(
            ErrorCode.NOT_PERMITTED,
            ErrorCode.NOT_AUTHENTICATED,
            ErrorCode.TABLE_NOT_FOUND,
            ErrorCode.TUNNEL_NOT_FOUND);
    assertThat(bob.isActive()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void goes_on_when_other_rights_are_lost(Running running) throws Exception {
    allow(running, Loss.WITHDRAWN);
    bob.security.allow("bob", "table:" + TABLE, "write");
    bob.security.allow("bob", "table:theirs", "read");
    begin(running);
    bob.security.withdraw("bob", "table:" + TABLE, "write");
    bob.security.withdraw("bob", "table:theirs", "read");
    bob.security.deny("bob", "tunnel:" + TABLE + "/other", "consume");
    bob.reviseRights();
    assertThat(bob.saidAtRest()).isEmpty();
    assertThat(bob.audited()).isEmpty();
    assertThat(bob.isActive()).isTrue();
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
