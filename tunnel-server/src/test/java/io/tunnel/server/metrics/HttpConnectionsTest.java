package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which connection gives its place to a new connection. */
final class HttpConnectionsTest {

  private static final int MAX = 8;
  private static final int SETTLED_MAX = 4;

  private final HttpConnections connections = new HttpConnections(MAX, SETTLED_MAX);

  private EmbeddedChannel from(String address) {
    SocketAddress remote = new InetSocketAddress(address, 1);
    return new EmbeddedChannel(connections) {
      @Override
      protected SocketAddress remoteAddress0() {
        // Asked for before the fields of this channel are set.
        return remote == null ? new InetSocketAddress(1) : remote;
      }
    };
  }

  private List<EmbeddedChannel> from(int count, String address) {
    List<EmbeddedChannel> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(from(address));
    }
    return all;
  }

  @Test
  void one_who_connects_without_end_displaces_nobody_else() {
    EmbeddedChannel probe = from("127.0.0.1");
    EmbeddedChannel scrape = from("10.0.0.9");
    List<EmbeddedChannel> flood = from(1_500, "10.0.0.7");
    assertThat(flood.stream().filter(EmbeddedChannel::isOpen)).hasSize(MAX / 4);
    assertThat(flood.get(1_499).isOpen()).isTrue();
    assertThat(probe.isOpen()).isTrue();
    assertThat(scrape.isOpen()).isTrue();
  }

  @Test
  void a_network_of_ipv6_counts_as_one_address() {
    List<EmbeddedChannel> flood = new ArrayList<>();
    for (int i = 1; i <= 100; i++) {
      flood.add(from("2001:db8::" + i));
    }
    assertThat(flood.stream().filter(EmbeddedChannel::isOpen)).hasSize(MAX / 4);
  }

  @Test
  void when_many_networks_take_all_places_that_which_has_most_gives_one() {
    EmbeddedChannel first = from("10.0.0.1");
    List<EmbeddedChannel> two = from(2, "10.0.0.2");
    for (int i = 3; i < 8; i++) {
      from("10.0.0." + i);
    }
    EmbeddedChannel probe = from("::1");
    assertThat(two.get(0).isOpen()).isTrue();
    EmbeddedChannel late = from("10.0.0.8");
    assertThat(late.isOpen()).isTrue();
    assertThat(two.get(0).isOpen()).isFalse();
    assertThat(first.isOpen()).isTrue();
    assertThat(probe.isOpen()).isTrue();
  }

  @Test
  void connections_of_this_machine_have_their_own_bound_and_a_place_left_is_free() {
    List<EmbeddedChannel> probes = from(MAX + 1, "127.0.0.1");
    assertThat(probes.get(0).isOpen()).isFalse();
    assertThat(probes.stream().filter(EmbeddedChannel::isOpen)).hasSize(MAX);
    List<EmbeddedChannel> own = from(MAX / 4, "10.0.0.1");
    own.get(0).close();
    EmbeddedChannel next = from("10.0.0.1");
    assertThat(own.get(1).isOpen()).isTrue();
    assertThat(next.isOpen()).isTrue();
  }

  @Test
  void settled_connections_take_no_place_of_probes_and_have_a_bound_of_their_own() {
    List<EmbeddedChannel> pages = from(SETTLED_MAX / 2, "10.0.0.7");
    assertThat(pages).allMatch(connections::settle);
    EmbeddedChannel further = from("10.0.0.7");
    assertThat(connections.settle(further)).as("a third of one network").isFalse();
    assertThat(from("10.0.0.8")).matches(connections::settle).matches(EmbeddedChannel::isOpen);
    assertThat(from("10.0.0.9")).matches(connections::settle);
    assertThat(connections.settle(from("10.0.0.10"))).as("a fifth of all networks").isFalse();
    assertThat(from("127.0.0.1")).as("this machine's own").matches(connections::settle);
    from(100, "10.0.0.7");
    assertThat(pages).as("a flood of probes closes no page").allMatch(EmbeddedChannel::isOpen);
    pages.get(0).close();
    assertThat(from("10.0.0.7")).as("a place is free again").matches(connections::settle);
  }
}
