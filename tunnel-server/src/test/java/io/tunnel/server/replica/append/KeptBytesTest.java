package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.TrimCore.Kept;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KeptBytesTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void the_newest_bytes_are_kept_and_not_much_more(long seed) {
    Random random = new Random(seed);
    KeptBytes marks = new KeptBytes();
    List<long[]> all = new ArrayList<>();
    long bytes = 0;
    long position = 1;
    long kept = 1L + random.nextInt(20_000);
    for (int i = 0; i < 5_000; i++) {
      if (i < 3_000 && random.nextInt(500) == 0) {
        kept = 1L + random.nextInt(20_000);
      }
      marks.saw(bytes, new Kept(position, position), kept);
      all.add(new long[] {bytes, position});
      long end = bytes;
      bytes += random.nextInt(100);
      position += 1 + random.nextInt(5);
      assertThat(marks.count()).isLessThan(100);
      Optional<Kept> found = marks.newest(kept);
      if (found.isPresent()) {
        long from = bytesAt(all, found.get().position());
        assertThat(end - from).as("seed %d", seed).isGreaterThanOrEqualTo(kept);
        if (i > 4_000) {
          assertThat(end - from - kept).as("seed %d", seed).isLessThanOrEqualTo(1_000);
        }
      } else {
        assertThat(i).as("seed %d", seed).isLessThan(4_000);
      }
    }
  }

  private static long bytesAt(List<long[]> all, long position) {
    return all.stream().filter(each -> each[1] == position).findFirst().orElseThrow()[0];
  }

  @Test
  void nothing_is_beyond_where_all_is_kept() {
    KeptBytes marks = new KeptBytes();
    marks.saw(0, new Kept(1, 0), 0);
    marks.saw(100, new Kept(2, 1), 0);
    assertThat(marks.newest(0)).isEmpty();
    assertThat(marks.count()).isZero();
  }
}
