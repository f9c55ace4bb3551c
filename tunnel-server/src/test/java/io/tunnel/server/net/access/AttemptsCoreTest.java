package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AttemptsCoreTest {

  private static final long MS = 1_000_000;
  private static final Bytes ADDRESS = Bytes.fromHex("0a000001");

  private final AttemptsCore attempts = new AttemptsCore();

  private static Bytes ipv4(int number) {
    return Bytes.fromHex("%08x".formatted(number));
  }

  private static Bytes ipv6(String network, long host) {
    return Bytes.fromHex(network + "%016x".formatted(host));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - MS, Long.MIN_VALUE})
  void answers_come_later_and_later_up_to_5_seconds(long start) {
    assertThat(attempts.delayNanos(ADDRESS, start)).isZero();
    for (long delayMs : new long[] {100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000}) {
      assertThat(attempts.failed(ADDRESS, start)).isEqualTo(delayMs * MS);
      assertThat(attempts.delayNanos(ADDRESS, start + MS)).isEqualTo(delayMs * MS);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(attempts.failed(ADDRESS, start)).isEqualTo(5_000 * MS);
    }
    assertThat(attempts.delayNanos(ipv4(7), start)).as("another address").isZero();
  }

  @Test
  void an_address_is_forgotten_after_10_minutes_of_quiet_and_not_before() {
    attempts.failed(ADDRESS, 0);
    assertThat(attempts.failed(ADDRESS, AttemptsCore.QUIET_NANOS - 1)).isEqualTo(200 * MS);
    long last = AttemptsCore.QUIET_NANOS - 1;
    assertThat(attempts.delayNanos(ADDRESS, last + AttemptsCore.QUIET_NANOS - 1))
        .isEqualTo(200 * MS);
    assertThat(attempts.delayNanos(ADDRESS, last + AttemptsCore.QUIET_NANOS)).isZero();
    assertThat(attempts.size()).isZero();
    assertThat(attempts.failed(ADDRESS, last + AttemptsCore.QUIET_NANOS)).isEqualTo(100 * MS);
  }

  @Test
  void as_many_addresses_as_there_may_be_are_remembered_and_then_the_quietest_is_not() {
    for (int i = 0; i < AttemptsCore.ADDRESSES_MAX; i++) {
      attempts.failed(ipv4(i), i);
    }
    attempts.failed(ipv4(0), AttemptsCore.ADDRESSES_MAX);
    assertThat(attempts.size()).isEqualTo(AttemptsCore.ADDRESSES_MAX);
    assertThat(attempts.delayNanos(ipv4(1), AttemptsCore.ADDRESSES_MAX)).isEqualTo(100 * MS);
    attempts.failed(ipv4(-1), AttemptsCore.ADDRESSES_MAX);
    assertThat(attempts.size()).isEqualTo(AttemptsCore.ADDRESSES_MAX);
    assertThat(attempts.delayNanos(ipv4(1), AttemptsCore.ADDRESSES_MAX)).isZero();
    assertThat(attempts.delayNanos(ipv4(0), AttemptsCore.ADDRESSES_MAX)).isEqualTo(200 * MS);
    assertThat(attempts.delayNanos(ipv4(2), AttemptsCore.ADDRESSES_MAX)).isEqualTo(100 * MS);
  }

  @Test
  void addresses_of_one_ipv6_network_count_together() {
    attempts.failed(ipv6("20010db800000001", 1), 0);
    assertThat(attempts.failed(ipv6("20010db800000001", -7), 0)).isEqualTo(200 * MS);
    assertThat(attempts.failed(ipv6("20010db800000002", 1), 0)).isEqualTo(100 * MS);
    assertThat(attempts.size()).isEqualTo(2);
  }

  @Test
  void an_ipv4_address_in_the_form_of_ipv6_is_that_address() {
    attempts.failed(ADDRESS, 0);
    assertThat(attempts.failed(ipv6("0000000000000000", 0xffff_0a00_0001L), 0)).isEqualTo(200 * MS);
    assertThat(attempts.failed(ipv6("0000000000000000", 0xffff_0a00_0002L), 0)).isEqualTo(100 * MS);
  }

  @Test
  void what_is_no_address_is_refused() {
    assertThatThrownBy(() -> attempts.failed(Bytes.fromHex("0a0000"), 0))
        .hasMessage("an address has 4 or 16 bytes, not 3");
  }
}
