package io.tunnel.server.channel;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class EndingChangesTest {

  private static final long END_MS = 1_000;

  private final CrashDisk disk = new CrashDisk();
  private LocalLog log;
  private ChangeReader changes;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(disk, 0);
    changes = EndingChanges.of(Optional.of(END_MS), log);
  }

  private void commit(long atMs) throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a"), put("b")));
    log.append(group, false, atMs * 1_000);
  }

  @Test
  void it_shows_what_was_committed_before_the_end_and_nothing_else() throws IOException {
    assertThat(changes.committed(1)).isZero();
    for (long atMs : new long[] {1, 500, END_MS - 1}) {
      commit(atMs);
      assertThat(changes.committed(1)).isEqualTo(log.committed(1));
    }
    long last = log.committed(1);
    commit(END_MS);
    assertThat(changes.committed(1)).isEqualTo(last);
    commit(END_MS - 10);
    assertThat(changes.committed(1)).as("the clock was set back").isEqualTo(last);
    assertThat(changes.plan(1, last + 1, 1_000).isEmpty()).isTrue();
  }

  /** Older ones may be read from elsewhere, where nobody can say which belong. */
  @Test
  void an_end_before_the_oldest_change_that_is_kept_shows_nothing() throws IOException {
    commit(END_MS - 10);
    log.seal();
    commit(END_MS + 10);
    log.trim(Map.of(1, 0L), partition -> true, Long.MAX_VALUE);
    assertThat(log.firstPosition(1)).isEqualTo(3);
    assertThat(changes.committed(1)).isZero();
  }

  @Test
  void what_was_shown_stays_shown_when_the_end_has_passed() throws IOException {
    commit(END_MS - 10);
    assertThat(changes.committed(1)).isEqualTo(2);
    commit(END_MS);
    assertThat(changes.committed(1)).isEqualTo(2);
  }

  /** It is asked several times for each delivery, on a thread that serves many channels. */
  @Test
  void it_reads_once_for_each_commit_and_never_again_when_the_end_has_passed() throws IOException {
    for (int i = 0; i < 100; i++) {
      commit(i);
    }
    disk.failAfter(CrashDisk.Operation.READ, 1);
    for (int i = 0; i < 10; i++) {
      assertThat(changes.committed(1)).isEqualTo(200);
    }
    disk.failAfter(CrashDisk.Operation.READ, Integer.MAX_VALUE);
    commit(END_MS + 1);
    assertThat(changes.committed(1)).isEqualTo(200);
    commit(END_MS + 2);
    disk.failAfter(CrashDisk.Operation.READ, 0);
    assertThat(changes.committed(1)).isEqualTo(200);
  }
}
