package io.tunnel.sdk.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RowsCoreTest {

  private static Bytes key(int number) {
    return Bytes.copyOf(new byte[] {(byte) number});
  }

  /** Pages of some keys each, at moments that mostly rise. */
  @Test
  void a_change_is_included_by_the_page_of_its_key() {
    for (int seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      RowsCore core = new RowsCore();
      Map<Integer, Long> moments = new HashMap<>();
      long moment = 10L + random.nextInt(10);
      long first = Long.MAX_VALUE;
      long last = 0;
      int next = 0;
      while (next < 60) {
        int end = Math.min(60, next + 1 + random.nextInt(10));
        for (; next < end; next++) {
          moments.put(next, moment);
        }
        first = Math.min(first, moment);
        last = Math.max(last, moment);
        if (next < 60) {
          core.page(key(next - 1), moment);
        } else {
          core.end(moment);
        }
        moment = Math.max(1, moment + random.nextInt(4) - 1);
      }
      assertThat(core.first()).isEqualTo(first);
      assertThat(core.last()).isEqualTo(last);
      for (int i = 0; i < 300; i++) {
        int key = random.nextInt(60);
        long position = random.nextLong(last + 3);
        assertThat(core.includes(key(key), position))
            .as("seed %d, key %d at %d", seed, key, position)
            .isEqualTo(position <= moments.get(key));
      }
    }
  }
}
