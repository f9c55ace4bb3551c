package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodesTest {

  private final FakeServer first = new FakeServer();
  private final FakeServer second = new FakeServer();
  private final AtomicLong nowNanos = new AtomicLong();
  private final EventLoops loops = new EventLoops(1);
  private final Nodes nodes =
      new Nodes(LoadedConfig.of(first.config()), ClientPort.of(loops.place(), nowNanos::get));

  @AfterEach
  void close() {
    nodes.close();
    first.close();
    second.close();
    assertThat(first.failures()).isEmpty();
  }

  private static Optional<Endpoint> at(FakeServer server) {
    return Optional.of(Endpoint.of(server.address()));
  }

  private Connection open(Optional<Endpoint> node) {
    return Caller.await(nodes.connection(node));
  }

  @Test
  void there_is_one_connection_to_each_node() {
    Connection home = open(Optional.empty());
    Connection other = open(at(second));
    assertThat(other).isNotSameAs(home);
    assertThat(open(at(first))).isSameAs(home);
    assertThat(nodes.openConnection(at(second))).isSameAs(other);
    assertThat(nodes.openConnection(Optional.empty())).isSameAs(home);
  }

  @Test
  void what_nobody_has_used_for_long_is_closed_but_for_the_home() throws Exception {
    Connection home = open(Optional.empty());
    Connection other = open(at(second));
    nowNanos.addAndGet(Nodes.IDLE_NANOS - 1);
    nodes.loop().submit(nodes::closeIdle).get();
    assertThat(other.isOpen()).isTrue();
    nowNanos.addAndGet(1);
    nodes.loop().submit(nodes::closeIdle).get();
    Waits.until("the end of the idle one", () -> !other.isOpen());
    assertThat(home.isOpen()).isTrue();
    assertThat(open(at(second)).isOpen()).isTrue(); // It is opened again when it is needed.
  }

  @Test
  void at_the_most_the_one_that_was_used_longest_ago_makes_room() {
    Connection other = open(at(second));
    for (int i = 1; i < Nodes.CONNECTIONS_MAX; i++) {
      nowNanos.incrementAndGet();
      Optional<Endpoint> nobody = Optional.of(new Endpoint("127.0.0.1", i));
      assertThatThrownBy(() -> open(nobody)).isInstanceOf(ConnectionException.class);
    }
    assertThat(other.isOpen()).isTrue();
    nowNanos.incrementAndGet();
    assertThat(open(at(first)).isOpen()).isTrue();
    Waits.until("the end of the oldest", () -> !other.isOpen());
  }

  @Test
  void nothing_can_be_asked_of_closed_nodes() {
    Connection home = open(Optional.empty());
    nodes.close();
    Waits.until("the end", () -> !home.isOpen());
    assertThatThrownBy(() -> open(Optional.empty()))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void a_home_that_is_lost_is_left_for_a_node_that_is_connected_already() {
    ClientConfig both =
        ClientConfig.of(List.of(Endpoint.of(first.address()), Endpoint.of(second.address())));
    try (Nodes two =
        new Nodes(LoadedConfig.of(both), ClientPort.of(loops.place(), nowNanos::get))) {
      Connection a = Caller.await(two.connection(at(first)));
      Connection b = Caller.await(two.connection(at(second)));
      Connection home = Caller.await(two.connection(Optional.empty()));
      assertThat(home).isIn(a, b);
      FakeServer lost = home == a ? first : second;
      lost.goAway();
      Waits.until("the loss", () -> !home.isOpen());
      assertThat(Caller.await(two.connection(Optional.empty()))).isSameAs(home == a ? b : a);
      lost.comeBack();
    }
  }
}
