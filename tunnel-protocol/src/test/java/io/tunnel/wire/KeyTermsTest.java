package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class KeyTermsTest {

  private static Bytes any(SplittableRandom random) {
    byte[] array = new byte[random.nextInt(4)];
    for (int i = 0; i < array.length; i++) {
      array[i] = (byte) (random.nextInt(3) - 1);
    }
    return Bytes.copyOf(array);
  }

  @Test
  void a_range_with_a_key_that_matches_is_one_that_may_match() {
    SplittableRandom random = new SplittableRandom(6);
    int found = 0;
    for (int i = 0; i < 20_000; i++) {
      KeyTerms terms = new KeyTerms(List.of(any(random)), List.of(any(random)), false);
      Bytes key = any(random);
      Bytes low = any(random);
      Bytes high = any(random);
      boolean isInside = key.compareTo(low) >= 0 && (high.length() == 0 || key.compareTo(high) < 0);
      if (terms.match(key) && isInside) {
        found++;
        assertThat(terms.mayMatchBetween(low, high))
            .as("%s has %s between %s and %s", terms, key, low, high)
            .isTrue();
      }
    }
    assertThat(found).isPositive();
    Bytes b = Bytes.fromHex("62");
    KeyTerms terms = new KeyTerms(List.of(b), List.of(Bytes.fromHex("6364")), false);
    assertThat(terms.mayMatchBetween(Bytes.fromHex("6400"), Bytes.EMPTY)).isFalse();
    assertThat(terms.mayMatchBetween(Bytes.EMPTY, b)).isFalse();
    assertThat(terms.mayMatchBetween(Bytes.fromHex("63"), Bytes.fromHex("6364"))).isFalse();
    assertThat(terms.mayMatchBetween(Bytes.fromHex("636401"), Bytes.fromHex("636402"))).isTrue();
  }

  @Test
  void there_are_as_many_terms_as_fit_and_at_least_one() {
    Bytes key = Bytes.fromHex("6162");
    int most = Limits.WATCH_TERMS_MAX;
    assertThat(new KeyTerms(Collections.nCopies(most, key), List.of(), false).bytes())
        .isEqualTo(2 * most);
    assertThatThrownBy(() -> new KeyTerms(Collections.nCopies(most, key), List.of(key), false))
        .hasMessageContaining("1 to 1000 keys and prefixes, not 1001");
    assertThatThrownBy(() -> new KeyTerms(List.of(), List.of(), false))
        .hasMessageContaining("not 0");
    Bytes long1 = Bytes.copyOf(new byte[Limits.WATCH_TERMS_BYTES_MAX / 2]);
    assertThat(new KeyTerms(List.of(long1), List.of(long1), false).bytes())
        .isEqualTo(Limits.WATCH_TERMS_BYTES_MAX);
    assertThatThrownBy(
            () -> new KeyTerms(List.of(long1), List.of(long1, Bytes.fromHex("00")), false))
        .hasMessageContaining("at most 65536 bytes, not 65537");
  }
}
