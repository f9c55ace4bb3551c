package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.NetLimits;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By which names a server without TLS answers. */
final class HttpHostsTest {

  private static HttpHosts hosts(String more) {
    return HttpHosts.of(
        new NetConfig("db1.example.org", 0, 0, 1, 100, false, more, NetLimits.DEFAULT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.1:7651",
        "10.1.2.3:7651",
        "[::1]:7651",
        "[2001:db8::1]",
        "localhost",
        "LocalHost:1",
        "DB1.example.org:7651",
        "db1.example.org."
      })
  void addresses_and_its_own_names_are_ours(String host) {
    assertThat(hosts("").areOurs(List.of(host))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example.com",
        "evil.example.com:7651",
        "localhost.evil.example.com",
        "127.0.0.1.evil.example.com",
        "n1",
        "127.0.0.1.evil.example.com:80"
      })
  void another_name_is_not(String host) {
    assertThat(hosts("").areOurs(List.of(host))).isFalse();
    assertThat(hosts("").areOurs(List.of("localhost", host))).isFalse();
    assertThat(hosts("*").areOurs(List.of(host))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[evil]",
        "[::1",
        "::1",
        "[::1]evil.com",
        "[::1]:evil.com",
        "127.0.0.1:evil.com",
        "127.0.0.1:",
        "127.0.0.1:-1",
        "127.0.0.1:65536",
        "127.0.0.1:000080",
        "127.0.0.1:80:evil.com",
        "127.0.0.1/evil.com",
        "127.0.0.1 evil.com",
        "evil.com@127.0.0.1",
        "db1.example.org:1@evil"
      })
  void a_text_that_is_not_a_host_and_a_port_is_nobodys(String host) {
    assertThat(hosts("").areOurs(List.of(host))).isFalse();
    assertThat(hosts("").areOurs(List.of("localhost", host))).isFalse();
    assertThat(hosts("*").areOurs(List.of(host))).isFalse();
    assertThat(HttpHosts.ALL.areOurs(List.of(host))).isFalse();
  }

  @Test
  void the_highest_port_is_a_port() {
    assertThat(hosts("").areOurs(List.of("127.0.0.1:65535", "127.0.0.1:0"))).isTrue();
  }

  @Test
  void names_can_be_added_and_none_is_ours() {
    assertThat(hosts("n1, N2").areOurs(List.of("n2:7651"))).isTrue();
    assertThat(hosts("n1, N2").areOurs(List.of("n3:7651"))).isFalse();
    assertThat(hosts("").areOurs(List.of())).isTrue();
    assertThat(HttpHosts.ALL.areOurs(List.of("any"))).isTrue();
  }
}
