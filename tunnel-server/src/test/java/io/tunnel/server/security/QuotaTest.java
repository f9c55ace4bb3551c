package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.security.Quota.Counts;
import io.tunnel.server.security.Quota.Rates;
import io.tunnel.wire.control.Json;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QuotaTest {

  private static Rates rows(long rowsPerSecond) {
    return new Rates(Optional.of(rowsPerSecond), Optional.empty());
  }

  private static Counts tables(int tables) {
    return new Counts(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(tables),
        Optional.empty());
  }

  private static Quota of(Counts counts) {
    return new Quota(Rates.NONE, Rates.NONE, Rates.NONE, Optional.empty(), counts);
  }

  @Test
  void what_is_left_out_is_no_limit() {
    assertThat(Json.ofText("{}", Quota.class)).isEqualTo(Quota.NONE);
    assertThat(Json.ofText("{\"read\":{},\"counts\":{}}", Quota.class)).isEqualTo(Quota.NONE);
  }

  @Test
  void rates_are_within_their_bounds() {
    assertThat(rows(1).rowsPerSecond()).contains(1L);
    assertThat(rows(Quota.RATE_MAX).rowsPerSecond()).contains(Quota.RATE_MAX);
    assertThatThrownBy(() -> rows(0))
        .hasMessage("rowsPerSecond is 1 to 9000000000 or left out, not 0");
    assertThatThrownBy(() -> rows(Quota.RATE_MAX + 1)).hasMessageContaining("not 9000000001");
    assertThatThrownBy(() -> new Rates(Optional.empty(), Optional.of(-1L)))
        .hasMessageContaining("bytesPerSecond is 1 to ");
    assertThatThrownBy(() -> new Quota(null, null, null, Optional.of(0L), null))
        .hasMessageContaining("requestsPerSecond is 1 to ");
  }

  @Test
  void counts_are_within_their_bounds() {
    assertThat(tables(0).tables()).contains(0);
    assertThat(tables(Quota.COUNT_MAX).tables()).contains(Quota.COUNT_MAX);
    assertThatThrownBy(() -> tables(-1))
        .hasMessage("tables is 0 to 1000000000 or left out, not -1");
    assertThatThrownBy(() -> tables(Quota.COUNT_MAX + 1)).hasMessageContaining("not 1000000001");
  }

  @Test
  void tables_are_counted_for_principals_only() {
    assertThat(of(tables(3)).requireFor("ann")).isEqualTo(of(tables(3)));
    assertThatThrownBy(() -> of(tables(3)).requireFor("table:orders"))
        .hasMessage("connections and tables are counted for principals, not for table:orders");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann", "CN=ann,O=table:x", "table:orders"})
  void subjects_are_principals_and_tables(String subject) {
    assertThat(Quota.requireSubject(subject)).isEqualTo(subject);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "table:", "table:a/b", "table:a*", "group:x", "a b"})
  void others_are_refused(String subject) {
    assertThatThrownBy(() -> Quota.requireSubject(subject))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
