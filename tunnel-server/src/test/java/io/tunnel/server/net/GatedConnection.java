package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A connection to a node that asks clients for their keys, and the node's audit log. */
final class GatedConnection implements Closeable {

  /** More than the hosts of tunnels that a test has. */
  private static final int HOSTS_MAX = 10;

  final TestNode node;
  final TestGate security;

  /** The key of bob. */
  final KeySecret key;

  private final Path audit;
  private final Connection connection;
  private final EmbeddedChannel nettyChannel;

  /**
   * A connection that has said nothing yet.
   *
   * @param written what the audit log has besides refusals and the requests of administrators
   */
  GatedConnection(Path directory, Written written) throws IOException {
    node = new TestNode(directory);
    node.view.level(2);
    security = new TestGate();
    key = security.create("bob");
    audit = directory.resolve("audit");
    AuditTrail trail =
        new AuditTrail(
            new AuditTrail.Settings(written, 1 << 20, 1),
            audit,
            Optional.empty(),
            new AuditTrail.Clock(security.nanos::get, security.epochMs::get),
            Runnable::run);
    connection =
        new Connection(
            node.requests(security.gate),
            new NetServer.Door(security.gate, Optional.empty(), new AuditLog(trail, node.catalog)),
            NetMeter.NONE,
            "server",
            NetServer.Budgets.of(NetLimits.DEFAULT, 10, security.gate));
    nettyChannel = new EmbeddedChannel(connection);
  }

  /** A connection of bob. */
  static GatedConnection ofBob(Path directory) throws IOException {
    GatedConnection bob = new GatedConnection(directory, Written.REFUSED);
    assertThat(bob.authenticate(bob.key.secret()))
        .extracting(Frame::kind)
        .containsExactly(FrameKind.RESPONSE);
    return bob;
  }

  /** Greets, and proves the secret of bob's key; returns the answers to the proof. */
  List<Frame> authenticate(String secret) {
    send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "client").encode());
    Bytes nonce = TestGate.bytes(0xcc);
    send(0, Operation.AUTHENTICATE, new Begin(key.key().id(), nonce).encode());
    Challenge challenge = (Challenge) Authentication.Answer.decode(said().get(1).payload());
    AuthenticationProof seen =
        new AuthenticationProof(
            key.key().id(), nonce, challenge.nonce(), AuthenticationProof.NO_CHANNEL);
    Bytes proof = seen.ofClient(secret.getBytes(StandardCharsets.UTF_8));
    send(0, Operation.AUTHENTICATE, new Prove(proof).encode());
    return said();
  }

  void send(int correlationId, Operation operation, byte[] payload) {
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
  List<Frame> saidAtRest() throws Exception {
    Callable<Boolean> nothing = () -> true;
    FutureTask<Boolean> rest = new FutureTask<>(nothing);
    node.control.execute(rest);
    assertThat(rest.get()).isTrue();
    return said().stream().filter(frame -> frame.kind() != FrameKind.PUSH).toList();
  }

  /** The answer to one request, which goes to the thread of each host in turn. */
  Frame ask(Operation operation, byte[] payload) throws Exception {
    send(1, operation, payload);
    List<Frame> answers = saidAtRest();
    for (int hosts = 1; answers.isEmpty() && hosts < HOSTS_MAX; hosts++) {
      answers = saidAtRest();
    }
    assertThat(answers).hasSize(1);
    return answers.get(0);
  }

  /** The event loop's clock moves. */
  void pass(long seconds) {
    nettyChannel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    nettyChannel.runScheduledPendingTasks();
  }

  /** Rights have changed. */
  void reviseRights() {
    connection.reviseRights();
  }

  boolean isActive() {
    return nettyChannel.isActive();
  }

  /** The lines of the audit log that are not of administrators, oldest first. */
  List<String> audited() throws IOException {
    return lines("audit.jsonl");
  }

  /** The lines of the audit log that are of administrators. */
  List<String> administered() throws IOException {
    return lines("administration.jsonl");
  }

  private List<String> lines(String name) throws IOException {
    Path file = audit.resolve(name);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  @Override
  public void close() throws IOException {
    nettyChannel.finishAndReleaseAll();
    node.close();
  }
}
