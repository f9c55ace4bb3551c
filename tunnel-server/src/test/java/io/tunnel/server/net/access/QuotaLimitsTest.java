package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.security.Quota;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QuotaLimitsTest {

  private static final List<String> NAMES =
      List.of(
          "writtenRowsPerSecond",
          "writtenBytesPerSecond",
          "deliveredRowsPerSecond",
          "deliveredBytesPerSecond",
          "readRowsPerSecond",
          "readBytesPerSecond",
          "requestsPerSecond",
          "connections",
          "sessions",
          "tunnels",
          "tables",
          "partitions");

  private static List<QuotaLimit> all() {
    List<QuotaLimit> limits = new ArrayList<>();
    NAMES.forEach(name -> limits.add(new QuotaLimit(name, 10 + limits.size())));
    return limits;
  }

  @Test
  void every_limit_is_its_own_and_read_back_as_it_was_given() {
    Quota quota = QuotaLimits.quota(all());
    assertThat(quota.written().rowsPerSecond()).contains(10L);
    assertThat(quota.written().bytesPerSecond()).contains(11L);
    assertThat(quota.delivered().rowsPerSecond()).contains(12L);
    assertThat(quota.delivered().bytesPerSecond()).contains(13L);
    assertThat(quota.read().rowsPerSecond()).contains(14L);
    assertThat(quota.read().bytesPerSecond()).contains(15L);
    assertThat(quota.requestsPerSecond()).contains(16L);
    assertThat(quota.counts().connections()).contains(17);
    assertThat(quota.counts().sessions()).contains(18);
    assertThat(quota.counts().tunnels()).contains(19);
    assertThat(quota.counts().tables()).contains(20);
    assertThat(quota.counts().partitions()).contains(21);
    assertThat(QuotaLimits.limits(quota)).isEqualTo(all());
  }

  @Test
  void each_limit_may_stand_alone_and_none_are_none() {
    for (QuotaLimit limit : all()) {
      assertThat(QuotaLimits.limits(QuotaLimits.quota(List.of(limit)))).containsExactly(limit);
    }
    assertThat(QuotaLimits.quota(List.of())).isEqualTo(Quota.NONE);
    assertThat(QuotaLimits.limits(Quota.NONE)).isEmpty();
  }

  @Test
  void a_change_leaves_the_limits_that_it_does_not_name() {
    Quota before = QuotaLimits.quota(all());
    Quota after =
        QuotaLimits.changed(
            before,
            new QuotaChange("bob", List.of(new QuotaLimit("tables", 3)), List.of("sessions")));
    assertThat(after.counts().tables()).contains(3);
    assertThat(after.counts().sessions()).isEmpty();
    assertThat(QuotaLimits.limits(after)).hasSize(NAMES.size() - 1);
    assertThat(after.written()).isEqualTo(before.written());
    List<QuotaLimit> one = List.of(new QuotaLimit("tables", 3));
    assertThat(
            QuotaLimits.limits(
                QuotaLimits.changed(before, new QuotaChange("bob", one, List.of("all")))))
        .isEqualTo(one);
    assertThatThrownBy(
            () -> QuotaLimits.changed(before, new QuotaChange("bob", List.of(), List.of("table"))))
        .hasMessageContaining("there is no limit table;");
    assertThatThrownBy(() -> new QuotaChange("bob", List.of(), List.of()))
        .hasMessageContaining("names no limit");
  }

  private static void requireRefused(String words, QuotaLimit... limits) {
    assertThatThrownBy(() -> QuotaLimits.quota(List.of(limits)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void a_limit_that_is_given_twice_is_refused_also_with_one_number() {
    requireRefused(
        "the limit tables is given twice",
        new QuotaLimit("tables", 3),
        new QuotaLimit("sessions", 3),
        new QuotaLimit("tables", 3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "table", "Tables", "writtenPerSecond", "RowsPerSecond", "*"})
  void another_name_is_refused_with_those_that_there_are(String name) {
    requireRefused(
        "there is no limit " + name + "; there are requestsPerSecond", new QuotaLimit(name, 1));
  }

  @Test
  void numbers_that_a_limit_cannot_be_are_refused_at_both_ends() {
    for (String name : NAMES) {
      boolean isCount = !name.endsWith("PerSecond");
      long most = isCount ? Quota.COUNT_MAX : Quota.RATE_MAX;
      long least = isCount ? 0 : 1;
      for (long good : List.of(least, most)) {
        QuotaLimit limit = new QuotaLimit(name, good);
        assertThat(QuotaLimits.limits(QuotaLimits.quota(List.of(limit)))).containsExactly(limit);
      }
      for (long bad : List.of(least - 1, most + 1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32)) {
        if (bad < least || bad > most) {
          requireRefused(
              Optional.of(name).map(one -> isCount ? one : "PerSecond").orElseThrow(),
              new QuotaLimit(name, bad));
        }
      }
    }
  }
}
