package io.tunnel.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A change of options leaves alone what it does not name. */
final class OptionsChangeTest {

  private static final TableOptions NOW =
      new TableOptions(Durability.OS, 1_000, 2_000, Optional.of(3_000L));

  private static boolean keepsLess(OptionsChange change, TableOptions before) {
    return change.over(before).keepsLessThan(before);
  }

  @Test
  void an_option_that_is_not_named_stays() {
    OptionsChange none = new OptionsChange();
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.over(NOW)).isEqualTo(NOW);
    assertThat(none.withRetention(Duration.ZERO).over(NOW))
        .isEqualTo(new TableOptions(Durability.OS, 0, 2_000, Optional.of(3_000L)));
    assertThat(none.withRetentionBytes(5).over(NOW))
        .isEqualTo(new TableOptions(Durability.OS, 1_000, 5, Optional.of(3_000L)));
    assertThat(none.withTtl(Duration.ZERO).over(NOW))
        .isEqualTo(new TableOptions(Durability.OS, 1_000, 2_000));
    assertThat(none.withDurability(Durability.FSYNC).over(NOW))
        .isEqualTo(new TableOptions(Durability.FSYNC, 1_000, 2_000, Optional.of(3_000L)));
    assertThat(none.withTtl(Duration.ZERO).isEmpty()).isFalse();
  }

  @Test
  void a_value_that_no_table_has_is_refused() {
    OptionsChange none = new OptionsChange();
    assertThatThrownBy(() -> none.withRetention(Duration.ofMillis(-1)))
        .hasMessageContaining("at least 0");
    assertThatThrownBy(() -> none.withTtl(Duration.ofMillis(999))).hasMessageContaining("ttlMs");
  }

  @Test
  void less_is_kept_with_a_limit_that_is_lower_or_new() {
    OptionsChange none = new OptionsChange();
    assertThat(keepsLess(none.withRetention(Duration.ofMillis(999)), NOW)).isTrue();
    assertThat(keepsLess(none.withRetention(Duration.ofMillis(1)), TableOptions.DEFAULT)).isTrue();
    assertThat(keepsLess(none.withRetentionBytes(1_999), NOW)).isTrue();
    assertThat(keepsLess(none.withTtl(Duration.ofMillis(2_999)), NOW)).isTrue();
    assertThat(keepsLess(none.withRetention(Duration.ofDays(1)).withRetentionBytes(9), NOW))
        .as("either limit lets changes go")
        .isTrue();
    assertThat(keepsLess(none, NOW)).isFalse();
    assertThat(keepsLess(none.withRetention(Duration.ZERO).withRetentionBytes(0), NOW)).isFalse();
    assertThat(keepsLess(none.withTtl(Duration.ofDays(1)), NOW)).isFalse();
    assertThat(keepsLess(none.withDurability(Durability.FSYNC), NOW)).isFalse();
  }
}
