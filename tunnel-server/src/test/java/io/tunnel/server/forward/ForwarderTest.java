package io.tunnel.server.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
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
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of requests when nodes answer, refuse, hang, and end. */
final class ForwarderTest {

  private static final String SELF_ADDRESS = "127.0.0.1:1";
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final OnBehalf WHO = new OnBehalf(Optional.empty(), "192.0.2.9");

  private final FakeView view = new FakeView(SELF_ADDRESS);
  private final AtomicLong nanos = new AtomicLong();
  private final LocalAddress self = new LocalAddress(ForwarderTest.class);
  private final EventLoopGroup selfLoop =
      new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
  private final EventLoopGroup nodeLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<String> ended = new CopyOnWriteArrayList<>();
  private final CountDownLatch slowNames = new CountDownLatch(1);
  private final AtomicInteger lookUps = new AtomicInteger();
  private final Forwarder forwarder =
      new Forwarder(
          new Forwarder.Self("n0", new NetServer.Self(self, selfLoop)),
          view,
          NetServer.Door.open(),
          new Forwarder.Machine(count -> Bytes.copyOf(new byte[count]), nanos::get, this::lookUp),
          (outcome, requestBytes, answerBytes, took) ->
              ended.add(outcome + " " + requestBytes + " " + answerBytes));

  private InetAddress lookUp(String name) throws UnknownHostException {
    lookUps.incrementAndGet();
    if (name.startsWith("slow")) {
      try {
        slowNames.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (name.startsWith("unknown")) {
      throw new UnknownHostException(name);
    }
    return InetAddress.getLoopbackAddress();
  }

  @AfterEach
  void end() {
    slowNames.countDown();
    forwarder.close();
    selfLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    nodeLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private ScriptedNode selfNode(Consumer<Asked> script) {
    return new ScriptedNode(selfLoop, LocalServerChannel.class, self, script);
  }

  private ScriptedNode node(String name, Consumer<Asked> script) {
    ScriptedNode node =
        new ScriptedNode(
            nodeLoop,
            NioServerSocketChannel.class,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            script);
    view.has(name, node.address());
    return node;
  }

  private static Consumer<Asked> answering(String text) {
    return asked -> asked.answer(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Consumer<Asked> leading(String leader) {
    return asked -> asked.refuse(RefusedException.notLeader("elsewhere", Optional.of(leader)));
  }

  private CompletableFuture<byte[]> ask(OnBehalf who, Optional<String> node, Duration deadline) {
    return forwarder.ask(
        who, node, Operation.DESCRIBE_TUNNEL, "{}".getBytes(StandardCharsets.UTF_8), deadline);
  }

  private CompletableFuture<byte[]> ask() {
    return ask(WHO, Optional.empty(), LONG);
  }

  private CompletableFuture<byte[]> ask(String node) {
    return ask(WHO, Optional.of(node), LONG);
  }

  private static String text(CompletableFuture<byte[]> answer) throws Exception {
    return new String(answer.get(60, TimeUnit.SECONDS), StandardCharsets.UTF_8);
  }

  private static Throwable failure(CompletableFuture<byte[]> answer) throws Exception {
    try {
      byte[] unused = answer.get(60, TimeUnit.SECONDS);
      throw new AssertionError("an answer");
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static void requireFailed(
      CompletableFuture<byte[]> answer, Reason reason, String... words) throws Exception {
    assertThat(failure(answer))
        .isInstanceOfSatisfying(
            ForwardException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContainingAll(words);
  }

  private static void requireRefused(CompletableFuture<byte[]> answer, ErrorCode code)
      throws Exception {
    assertThat(failure(answer))
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void a_request_goes_to_this_server_and_then_to_the_leaders_that_are_named() throws Exception {
    ScriptedNode last = node("n2", answering("led"));
    ScriptedNode between = node("n1", leading(last.address()));
    ScriptedNode first = selfNode(leading(between.address()));
    assertThat(text(ask())).isEqualTo("led");
    for (ScriptedNode each : List.of(first, between, last)) {
      assertThat(each.requests).hasSize(1);
      Frame request = each.requests.get(0);
      assertThat(request.operation()).isEqualTo(Operation.DESCRIBE_TUNNEL);
      assertThat(request.payload()).asString().isEqualTo("{}");
    }
  }

  @Test
  void a_leader_at_the_address_of_this_server_is_asked_without_the_port() throws Exception {
    ScriptedNode other = node("n1", leading(SELF_ADDRESS));
    boolean[] wasAsked = new boolean[1];
    ScriptedNode first =
        selfNode(
            asked -> {
              if (wasAsked[0]) {
                asked.answer(new byte[] {'y'});
              } else {
                wasAsked[0] = true;
                asked.refuse(RefusedException.notLeader("else", Optional.of(other.address())));
              }
            });
    assertThat(text(ask())).isEqualTo("y");
    assertThat(first.requests).hasSize(2);
  }

  @Test
  void nodes_that_name_each_other_are_asked_three_times_more() throws Exception {
    ScriptedNode[] nodes = new ScriptedNode[2];
    nodes[0] = node("n1", asked -> leading(nodes[1].address()).accept(asked));
    nodes[1] = node("n2", asked -> leading(nodes[0].address()).accept(asked));
    ScriptedNode first = selfNode(leading(nodes[0].address()));
    requireRefused(ask(), ErrorCode.NOT_LEADER);
    assertThat(first.requests).hasSize(1);
    assertThat(nodes[0].requests).hasSize(2);
    assertThat(nodes[1].requests).hasSize(1);
  }

  @Test
  void a_request_for_one_node_does_not_leave_the_node() throws Exception {
    ScriptedNode leader = node("n2", answering("led"));
    node("n1", leading(leader.address()));
    selfNode(leading(leader.address()));
    requireRefused(ask("n1"), ErrorCode.NOT_LEADER);
    requireRefused(ask("n0"), ErrorCode.NOT_LEADER);
    assertThat(leader.requests).isEmpty();
    assertThat(text(ask("n2"))).isEqualTo("led");
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"BUSY", "TUNNEL_NOT_FOUND", "OUTCOME_UNKNOWN", "LOG_UNAVAILABLE", "INTERNAL"})
  void no_other_refusal_is_followed_by_a_second_request(ErrorCode code) throws Exception {
    ScriptedNode first = selfNode(asked -> asked.refuse(new RefusedException(code, "no")));
    requireRefused(ask(), code);
    assertThat(first.requests).hasSize(1);
  }

  @Test
  void a_node_that_is_not_there_is_told_at_once_and_nothing_was_done() throws Exception {
    ScriptedNode gone = node("n1", answering("x"));
    gone.stopListening();
    view.has("n2", "no address");
    requireFailed(ask("n9"), Reason.UNKNOWN_NODE, "no node 'n9'", "nothing was done");
    requireFailed(ask("n1"), Reason.UNREACHABLE, gone.address(), "nothing was done");
    requireFailed(ask("n2"), Reason.UNREACHABLE, "is not HOST:PORT", "nothing was done");
    // This server does not listen for itself in this test.
    requireFailed(ask(), Reason.UNREACHABLE, "this server", "nothing was done");
    assertThat(Reason.UNREACHABLE.mayHaveEffect()).isFalse();
  }

  @Test
  void a_request_whose_connection_ends_is_not_repeated_and_the_next_one_connects_anew()
      throws Exception {
    boolean[] wasAsked = new boolean[1];
    ScriptedNode node =
        node(
            "n1",
            asked -> {
              if (wasAsked[0]) {
                asked.answer(new byte[] {'y'});
              } else {
                wasAsked[0] = true;
                asked.disconnect();
              }
            });
    requireFailed(ask("n1"), Reason.DISCONNECTED, "DESCRIBE_TUNNEL", "it may be done");
    assertThat(node.requests).hasSize(1);
    assertThat(text(ask("n1"))).isEqualTo("y");
    assertThat(node.requests).hasSize(2);
    assertThat(node.connections.get()).isEqualTo(2);
  }

  @Test
  void a_node_that_hangs_is_told_at_the_deadline_and_gets_no_more_on_that_connection()
      throws Exception {
    BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    ScriptedNode node = node("n1", asked::add);
    requireFailed(
        ask(WHO, Optional.of("n1"), Duration.ofMillis(300)),
        Reason.DEADLINE,
        "before its deadline");
    Asked first = asked.poll(60, TimeUnit.SECONDS);
    CompletableFuture<byte[]> second = ask("n1");
    Asked again = asked.poll(60, TimeUnit.SECONDS);
    assertThat(again.context()).isNotSameAs(first.context());
    // The late answer belongs to nobody.
    first.answer(new byte[] {'n'});
    again.answer(new byte[] {'y'});
    assertThat(text(second)).isEqualTo("y");
    assertThat(node.requests).hasSize(2);
  }

  @Test
  void a_deadline_that_has_passed_sends_nothing() throws Exception {
    requireFailed(ask(WHO, Optional.of("n9"), Duration.ofSeconds(-1)), Reason.UNKNOWN_NODE, "n9");
    ScriptedNode mute = node("n1", asked -> {});
    requireFailed(
        ask(WHO, Optional.of("n1"), Duration.ZERO), Reason.UNREACHABLE, "nothing was done");
    assertThat(mute.requests).isEmpty();
  }

  @Test
  void no_more_than_64_requests_are_open_and_each_answer_makes_room() throws Exception {
    BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    node("n1", asked::add);
    List<CompletableFuture<byte[]>> open = new ArrayList<>();
    for (int i = 0; i < ForwardCore.OPEN_MAX; i++) {
      open.add(ask("n1"));
    }
    requireRefused(ask("n1"), ErrorCode.BUSY);
    assertThat(ended).containsExactly("BUSY 0 0");
    for (int i = 0; i < open.size(); i++) {
      asked.poll(60, TimeUnit.SECONDS).answer(new byte[0]);
    }
    for (CompletableFuture<byte[]> each : open) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isEmpty();
    }
    CompletableFuture<byte[]> next = ask("n1");
    asked.poll(60, TimeUnit.SECONDS).answer(new byte[0]);
    assertThat(next.get(60, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void requests_of_more_than_16_mib_do_not_wait_together() throws Exception {
    BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    node("n1", asked::add);
    byte[] large = new byte[6 << 20];
    Optional<String> to = Optional.of("n1");
    CompletableFuture<byte[]> first = forwarder.ask(WHO, to, Operation.WRITE, large, LONG);
    CompletableFuture<byte[]> second = forwarder.ask(WHO, to, Operation.WRITE, large, LONG);
    requireRefused(forwarder.ask(WHO, to, Operation.WRITE, large, LONG), ErrorCode.BUSY);
    asked.poll(60, TimeUnit.SECONDS).answer(new byte[0]);
    asked.poll(60, TimeUnit.SECONDS).answer(new byte[0]);
    assertThat(first.get(60, TimeUnit.SECONDS)).isEmpty();
    assertThat(second.get(60, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void answers_that_do_not_fit_together_end_the_connection_that_grows() throws Exception {
    byte[] begun = new byte[7 << 20];
    node(
        "n1",
        asked -> {
          byte[] header = new byte[Frame.HEADER_BYTES];
          Frame.writeHeader(
              header,
              0,
              asked.frame().operationCode(),
              FrameKind.RESPONSE,
              asked.frame().correlationId(),
              begun.length + 1);
          asked.sendBytes(header, begun);
        });
    List<CompletableFuture<byte[]>> open = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      open.add(ask(new OnBehalf(Optional.empty(), "192.0.2." + i), Optional.of("n1"), LONG));
    }
    CompletableFuture<Object> first =
        CompletableFuture.anyOf(open.toArray(CompletableFuture<?>[]::new));
    assertThatThrownBy(() -> first.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("does not fit beside the answers");
    assertThat(open.stream().filter(CompletableFuture::isDone)).hasSize(1);
  }

  @Test
  void requests_of_one_address_share_a_connection_and_no_more_than_64_are_open() throws Exception {
    ScriptedNode node = node("n1", answering("y"));
    for (int i = 0; i < 200; i++) {
      OnBehalf who = new OnBehalf(Optional.empty(), "192.0.2." + i % 100);
      assertThat(text(ask(who, Optional.of("n1"), LONG))).isEqualTo("y");
      assertThat(text(ask(who, Optional.of("n1"), LONG))).isEqualTo("y");
      assertThat(forwarder.linkCount()).isLessThanOrEqualTo(Forwarder.LINKS_MAX);
    }
    assertThat(node.connections.get()).isEqualTo(200);
    while (node.open.get() > Forwarder.LINKS_MAX) {
      // The node learns of the ends a little later.
    }
  }

  @Test
  void a_node_that_stops_has_done_nothing_for_requests_without_an_answer() throws Exception {
    node(
        "n1",
        asked ->
            asked.sendBytes(
                new Frame(
                        0,
                        FrameKind.ERROR,
                        0,
                        new ErrorPayload(ErrorCode.SHUTTING_DOWN, "stops").encode())
                    .header(),
                new ErrorPayload(ErrorCode.SHUTTING_DOWN, "stops").encode()));
    requireRefused(ask("n1"), ErrorCode.SHUTTING_DOWN);
  }

  @Test
  void bytes_that_are_no_frames_end_the_connection() throws Exception {
    node("n1", asked -> asked.sendBytes("HTTP/1.1 400 Bad".getBytes(StandardCharsets.US_ASCII)));
    requireFailed(ask("n1"), Reason.DISCONNECTED, "does not speak the protocol");
  }

  @Test
  void the_end_of_the_server_ends_open_requests_and_later_ones_are_told() throws Exception {
    BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    node("n1", asked::add);
    CompletableFuture<byte[]> open = ask("n1");
    assertThat(asked.poll(60, TimeUnit.SECONDS)).isNotNull();
    forwarder.close();
    requireFailed(open, Reason.DISCONNECTED, "this server is stopping");
    requireFailed(ask("n1"), Reason.CLOSED, "this server is stopping");
    forwarder.close();
  }

  @Test
  void names_that_are_looked_up_for_long_delay_no_other_request() throws Exception {
    node("n1", answering("y"));
    List<CompletableFuture<byte[]>> slow = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      view.has("s", "slow.example.org:7650");
      slow.add(ask(new OnBehalf(Optional.empty(), "192.0.2." + i), Optional.of("s"), LONG));
    }
    assertThat(text(ask("n1"))).isEqualTo("y");
    for (CompletableFuture<byte[]> each : slow) {
      requireFailed(
          each, Reason.UNREACHABLE, "slow.example.org", "was not resolved", "nothing was done");
    }
    assertThat(lookUps.get()).as("one look-up of a name at a time").isEqualTo(1);
    assertThat(text(ask("n1"))).isEqualTo("y");
  }

  @Test
  void a_name_is_found_or_not_known() throws Exception {
    ScriptedNode node = node("n1", answering("y"));
    view.has("named", "n1.example.org:" + node.address().replaceAll(".*:", ""));
    view.has("lost", "unknown.example.org:7650");
    assertThat(text(ask("named"))).isEqualTo("y");
    requireFailed(ask("lost"), Reason.UNREACHABLE, "unknown.example.org:7650 is not known");
  }

  @Test
  void each_request_is_metered_once_with_what_became_of_it() throws Exception {
    node("n1", answering("yes"));
    node("n2", asked -> asked.refuse(new RefusedException(ErrorCode.INTERNAL, "no")));
    node("n3", Asked::disconnect);
    node("n4", asked -> {});
    assertThat(text(ask("n1"))).isEqualTo("yes");
    requireRefused(ask("n2"), ErrorCode.INTERNAL);
    requireFailed(ask("n3"), Reason.DISCONNECTED, "it may be done");
    requireFailed(ask(WHO, Optional.of("n4"), Duration.ofMillis(300)), Reason.DEADLINE, "deadline");
    requireFailed(ask("n9"), Reason.UNKNOWN_NODE, "n9");
    assertThat(ended)
        .containsExactly(
            "ANSWERED 2 3", "REFUSED 2 0", "DISCONNECTED 2 0", "DEADLINE 2 0", "UNKNOWN_NODE 2 0");
    assertThat(forwarder.held()).isEqualTo(new Forwarder.Held(0, 0));
    CompletableFuture<byte[]> open = ask("n4");
    assertThat(forwarder.held()).isEqualTo(new Forwarder.Held(1, 2));
    forwarder.close();
    assertThat(open).isCompletedExceptionally();
    assertThat(ended).hasSize(6);
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"HELLO", "AUTHENTICATE", "OPEN_SESSION", "HEARTBEAT", "ATTACH", "READ_PARTITION"})
  void requests_of_a_clients_own_connection_are_not_forwarded(Operation operation) {
    assertThatThrownBy(() -> forwarder.ask(WHO, Optional.empty(), operation, new byte[0], LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(operation + " belongs to a client's own connection");
  }
}
