package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.wire.control.FailureControl.FailedChange;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTextsTest {

  private static final int BYTES_MAX = 100_000;

  private final FailureTexts texts = new FailureTexts(BYTES_MAX);

  private static StopReason failure(int chars, int keyChars) {
    PrimaryKey key = PrimaryKey.builder().add("id", "k".repeat(keyChars)).build();
    return new StopReason("e".repeat(chars), Optional.of(new FailedChange(7, key, 1)));
  }

  @Test
  void a_failure_in_short_has_the_beginning_of_its_error_and_takes_nothing() {
    StopReason large = new StopReason("a".repeat(60_000), Optional.empty());
    StopReason kept = texts.fitting("ann", large);
    assertThat(kept).isEqualTo(StopReason.of("a".repeat(FailureTexts.SHORT_CHARS)));
    assertThat(FailureTexts.bytes(kept)).isZero();
    assertThat(texts.fitting("ann", kept)).isEqualTo(kept);
    assertThat(FailureTexts.bytes(failure(3, 3))).isBetween(400L, 450L);
    assertThat(FailureTexts.bytes(failure(3, 1_003)) - FailureTexts.bytes(failure(3, 3)))
        .isEqualTo(2_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void principals_share_the_bytes_and_get_them_back(long seed) {
    Random random = new Random(seed);
    Map<String, Optional<StopReason>> byChannel = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      // Nearly all failures are of the first principal.
      String owner = "p" + (random.nextInt(20) == 0 ? 1 : 0);
      String channel = owner + "/" + random.nextInt(200);
      Optional<StopReason> next =
          random.nextInt(4) == 0
              ? Optional.empty()
              : Optional.of(
                  texts.fitting(owner, failure(random.nextInt(1_000), random.nextInt(2_000))));
      texts.replace(owner, byChannel.getOrDefault(channel, Optional.empty()), next);
      byChannel.put(channel, next);
      long own = bytes(byChannel, "p0");
      assertThat(texts.bytes()).isEqualTo(own + bytes(byChannel, "p1")).isLessThan(BYTES_MAX);
      assertThat(own).isLessThanOrEqualTo(BYTES_MAX / FreeShare.PARTS);
    }
    byChannel.forEach(
        (channel, failure) -> texts.replace(channel.substring(0, 2), failure, Optional.empty()));
    assertThat(texts.bytes()).isZero();
    assertThat(texts.fitting("p0", failure(500, 500))).isEqualTo(failure(500, 500));
  }

  private static long bytes(Map<String, Optional<StopReason>> byChannel, String owner) {
    return byChannel.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(owner))
        .flatMap(entry -> entry.getValue().stream())
        .mapToLong(FailureTexts::bytes)
        .sum();
  }
}
