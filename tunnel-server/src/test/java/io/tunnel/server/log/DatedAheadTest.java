package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.disk.CrashDisk;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A log with one change that a clock dated a year into the future. */
class DatedAheadTest {

  private static final long NOW = 1_700_000_000_000_000L;
  private static final long YEAR = 365L * 86_400_000_000L;

  private CrashDisk disk = new CrashDisk();
  private LocalLog log;

  private void open() throws IOException {
    log = LocalLog.open(disk, 0, 1 << 20);
  }

  private long append(int partition, long nowMicros) throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(partition, put("k")));
    long position = log.append(group, true, nowMicros)[0];
    return log.commitMicrosAfter(partition, position - 1);
  }

  @Test
  void holds_its_own_partition_alone_also_after_a_start() throws IOException {
    open();
    assertThat(append(1, NOW)).isEqualTo(NOW);
    assertThat(append(2, NOW + YEAR)).isEqualTo(NOW + YEAR);
    for (int start = 0; start < 3; start++) {
      long now = NOW + start + 1;
      assertThat(append(1, now)).isEqualTo(now);
      assertThat(append(2, now)).isEqualTo(NOW + YEAR);
      assertThat(append(3, now)).isEqualTo(now);
      assertThat(log.newestMicros()).isEqualTo(NOW + YEAR);
      if (start == 0) {
        log.close();
      }
      disk = disk.kill().copy();
      open();
    }
  }

  @Test
  void keeps_no_segment_longer_than_the_segments_behind_it() throws IOException {
    open();
    append(1, NOW);
    append(2, NOW + YEAR);
    log.seal();
    append(1, NOW + 5);
    log.seal();
    append(1, NOW + 9);
    assertThat(log.kept(List.of(1, 2)).stream().map(Kept::newestMicros))
        .containsExactly(NOW + 5, NOW + 5, Long.MAX_VALUE);
    log.close();
    open();
    assertThat(log.kept(List.of(2)).get(0).newestMicros()).isEqualTo(NOW + 5);
  }
}
