package io.tunnel.sdk.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyPrefix;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys match here exactly when they match at the server, which compares encoded keys. */
final class WatchedKeysTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("a", PrimaryKeyType.STRING),
          new PrimaryKeySchema("b", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("c", PrimaryKeyType.INTEGER));

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(4); left > 0; left--) {
      text.append("x\0\u00fcy".charAt(random.nextInt(4)));
    }
    return text.toString();
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(4)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1);
    }
    return bytes;
  }

  private static PrimaryKey key(Random random) {
    return PrimaryKey.builder()
        .add("a", text(random))
        .add("b", bytes(random))
        .add("c", random.nextInt(3))
        .build();
  }

  private static WatchedKeys keys(Random random) {
    PrimaryKeyValue a = PrimaryKeyValue.fromString(text(random));
    PrimaryKeyValue b = PrimaryKeyValue.fromBinary(bytes(random));
    return switch (random.nextInt(6)) {
      case 0 -> WatchedKeys.key(key(random));
      case 1 -> WatchedKeys.prefix(text(random));
      case 2 -> WatchedKeys.leading(List.of(a));
      case 3 -> WatchedKeys.leading(List.of(a, b));
      case 4 -> WatchedKeys.leading(List.of());
      default -> WatchedKeys.prefix(List.of(a), b);
    };
  }

  private static boolean matchesThere(WatchedKeys keys, PrimaryKey key) {
    Bytes encoded = KeyCodec.encode(key, SCHEMA);
    boolean isKey =
        keys.keys().stream().anyMatch(each -> KeyCodec.encode(each, SCHEMA).equals(encoded));
    return isKey
        || keys.prefixes().stream()
            .map(each -> KeyPrefix.of(each.leading(), each.beginning(), SCHEMA))
            .anyMatch(prefix -> begins(encoded.toByteArray(), prefix.toByteArray()));
  }

  private static boolean begins(byte[] bytes, byte[] prefix) {
    return bytes.length >= prefix.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  @Test
  void a_key_matches_here_exactly_when_it_matches_at_the_server() {
    int matched = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      WatchedKeys keys = keys(random).and(keys(random));
      PrimaryKey key = key(random);
      boolean matches = keys.matches(key);
      assertThat(matches)
          .as("seed %d: %s of %s", seed, key, keys)
          .isEqualTo(matchesThere(keys, key));
      matched += matches ? 1 : 0;
    }
    assertThat(matched).isBetween(1_000, 19_000);
  }
}
