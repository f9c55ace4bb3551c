package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.NoMeter;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What local logs lose of themselves on a full disk. */
final class LocalRetentionTest {

  private static final int P = 1;
  private static final int CHANGES = 60;

  private final CrashDisk disk = new CrashDisk();
  private LocalLog log;

  @BeforeEach
  void fill() throws IOException {
    log = TestLogs.open(disk, 0, 1_000);
    for (int position = 1; position <= CHANGES; position++) {
      BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
      builder.add(TestRows.put("k" + position));
      byte[] array = builder.build(P, position, position);
      log.adopt(List.of(ChangeBatch.parse(array, 0, array.length)));
    }
    assertThat(log.segmentCount()).isGreaterThan(2);
  }

  private void look(LocalRetention retention) throws IOException {
    retention.look(0, Set.of(P), Set.of(), new NoMeter(), 1_000_000);
  }

  /** There is room for the file that says what is given up, and for no index. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void a_disk_too_full_to_seal_a_segment_loses_those_that_are_sealed(long bytesMax)
      throws IOException {
    long retentionMicros = bytesMax == 0 ? 1_000 : Long.MAX_VALUE;
    LocalRetention retention =
        new LocalRetention(
            log,
            bytesMax,
            partition -> retentionMicros,
            partition -> true,
            LocalRetention.Table.NONE);
    disk.room(70);
    assertThatThrownBy(() -> look(retention)).isInstanceOf(DiskFullException.class);
    assertThat(log.segmentCount()).isEqualTo(1);
    assertThat(log.firstPosition(P)).isBetween(2L, (long) CHANGES);
    assertThat(log.hasFailed()).isFalse();
    disk.room(Long.MAX_VALUE);
    look(retention);
    look(retention);
    assertThat(log.firstPosition(P)).isEqualTo(CHANGES + 1);
    assertThat(log.segmentCount()).isEqualTo(1);
  }
}
