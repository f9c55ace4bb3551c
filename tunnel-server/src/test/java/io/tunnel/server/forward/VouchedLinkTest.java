package io.tunnel.server.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.forward.ForwardException.Reason;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.forward.ScriptedNode.Asked;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node must prove before it gets a request, and how long a voucher is used. */
final class VouchedLinkTest {

  private final FakeView view = new FakeView("127.0.0.1:1");
  private final AtomicLong nanos = new AtomicLong();
  private final EventLoopGroup selfLoop =
      new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
  private final EventLoopGroup nodeLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Forwarder forwarder;

  /** The vouchers with which the forwarder has come, in order. */
  private final List<Voucher> vouchers = new CopyOnWriteArrayList<>();

  /** The vouchers of connections that began to prove theirs. */
  private final Map<Object, AuthenticationProof> proofs = new ConcurrentHashMap<>();

  VouchedLinkTest() throws IOException {
    TestGate at = new TestGate();
    at.epochMs.set(1_764_193_000_000L);
    forwarder =
        new Forwarder(
            new Forwarder.Self(
                "n0", new NetServer.Self(new LocalAddress(VouchedLinkTest.class), selfLoop)),
            view,
            new NetServer.Door(at.gate, Optional.empty(), AuditLog.none()),
            new Forwarder.Machine(TestSecurity.chance(5), nanos::get),
            ForwardMeter.NONE);
  }

  @AfterEach
  void end() {
    forwarder.close();
    selfLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    nodeLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private ScriptedNode node(MasterKey master) {
    ScriptedNode node =
        new ScriptedNode(
            nodeLoop,
            NioServerSocketChannel.class,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            asked -> take(asked, master));
    view.has("n1", node.address());
    return node;
  }

  /** Lets everybody in, and proves it with the node's master key. */
  private void take(Asked asked, MasterKey master) {
    if (asked.frame().operation() != Operation.AUTHENTICATE) {
      asked.answer("y".getBytes(StandardCharsets.UTF_8));
      return;
    }
    Object connection = asked.context().channel().id();
    if (Authentication.Request.decode(asked.frame().payload()) instanceof Begin begin) {
      vouchers.add(Voucher.read(begin.keyId()).orElseThrow());
      Bytes nonce = TestGate.bytes(7);
      proofs.put(
          connection,
          new AuthenticationProof(
              begin.keyId(), begin.nonce(), nonce, AuthenticationProof.NO_CHANNEL));
      asked.answer(new Challenge(nonce).encode());
    } else {
      AuthenticationProof seen = proofs.get(connection);
      Bytes proof = seen.ofServer(master.voucherSecret(seen.keyId()).toByteArray());
      asked.answer(new Accepted(proof, "anybody").encode());
    }
  }

  private CompletableFuture<byte[]> ask(String principal, String address) {
    return forwarder.ask(
        new OnBehalf(Optional.of(new Principal(principal)), address),
        Optional.of("n1"),
        Operation.LIST_TABLES,
        new byte[0],
        Duration.ofSeconds(30));
  }

  private static void requireAnswer(CompletableFuture<byte[]> answer) throws Exception {
    assertThat(answer.get(60, TimeUnit.SECONDS)).asString().isEqualTo("y");
  }

  private static void requireUnreachable(CompletableFuture<byte[]> answer, String words) {
    assertThat(answer)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            ForwardException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
        .withMessageContaining(words);
  }

  private static long count(ScriptedNode node, Operation operation) {
    return node.requests.stream().filter(frame -> frame.operation() == operation).count();
  }

  @Test
  void a_node_that_cannot_prove_the_master_key_gets_no_request() {
    ScriptedNode stranger = node(MasterKey.parse("5b".repeat(32), TestSecurity.chance(1)));
    requireUnreachable(ask("alice", "192.0.2.9"), "does not know the master key");
    assertThat(count(stranger, Operation.AUTHENTICATE)).isEqualTo(2);
    assertThat(count(stranger, Operation.LIST_TABLES)).isZero();
  }

  @Test
  void a_node_that_refuses_the_voucher_is_no_answer_to_the_principal() {
    ScriptedNode node =
        new ScriptedNode(
            nodeLoop,
            NioServerSocketChannel.class,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            asked -> asked.refuse(new RefusedException(ErrorCode.NOT_AUTHENTICATED, "no key")));
    view.has("n1", node.address());
    requireUnreachable(ask("alice", "192.0.2.9"), "no key; nothing was done");
    assertThat(count(node, Operation.LIST_TABLES)).isZero();
  }

  @Test
  void principals_and_addresses_never_share_a_connection() throws Exception {
    ScriptedNode node = node(TestSecurity.master());
    for (int i = 0; i < 2; i++) {
      requireAnswer(ask("alice", "192.0.2.9"));
      requireAnswer(ask("bob", "192.0.2.9"));
      requireAnswer(ask("alice", "192.0.2.10"));
    }
    assertThat(node.connections.get()).isEqualTo(3);
    assertThat(vouchers)
        .extracting(voucher -> voucher.principal() + " " + voucher.origin())
        .containsExactly(
            "alice via n0 from 192.0.2.9",
            "bob via n0 from 192.0.2.9",
            "alice via n0 from 192.0.2.10");
  }

  @Test
  void a_connection_takes_requests_for_the_first_30_seconds_of_its_voucher() throws Exception {
    ScriptedNode node = node(TestSecurity.master());
    requireAnswer(ask("alice", "192.0.2.9"));
    nanos.set(TimeUnit.SECONDS.toNanos(30) - 1);
    requireAnswer(ask("alice", "192.0.2.9"));
    assertThat(node.connections.get()).isEqualTo(1);
    nanos.set(TimeUnit.SECONDS.toNanos(30));
    requireAnswer(ask("alice", "192.0.2.9"));
    assertThat(node.connections.get()).isEqualTo(2);
    assertThat(forwarder.linkCount()).isEqualTo(1);
    assertThat(Forwarder.LINK_MS_MAX + Forwarder.DEADLINE_MS_MAX)
        .isLessThanOrEqualTo(Voucher.LIFE_MS);
  }
}
