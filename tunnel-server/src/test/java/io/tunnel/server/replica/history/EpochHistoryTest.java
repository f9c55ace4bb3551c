package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.history.HistoryCore.Fetch;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a replica knows that begins, or goes on, behind a hole. */
class EpochHistoryTest {

  private static final int PLENTY = 1 << 20;

  private final ReplicaCore core = new ReplicaCore(ReplicaState.EMPTY);
  private EpochHistory epochHistory = EpochHistory.START;

  private static Stored first(long offset, long epoch) {
    Bytes key = TestRows.keyBytes("k" + offset);
    return new Stored(
        offset,
        offset * 10,
        new Entry(Kind.CHANGE, key, epoch, ReplicaCore.APPEND_ENTRIES_MAX, Optional.empty()));
  }

  /** As a replica reads it: too young to have been compacted. */
  private void readBehindHole(Stored record) {
    core.skipTo(record.offset());
    epochHistory = epochHistory.skipped();
    core.wholeFromHere();
    assertThat(core.read(record)).isEqualTo(ReplicaCore.Verdict.CHANGE);
    epochHistory = epochHistory.read(record, core);
  }

  @Test
  void a_hole_that_ends_with_the_marker_of_what_follows_has_no_change_there() {
    readBehindHole(first(6, 5));
    assertThat(epochHistory.isMarker(5)).isTrue();
    assertThat(epochHistory.from()).isEqualTo(5);
    PageCore page = new PageCore(new Fetch(1, 1, 5, 6, 0), PLENTY, PLENTY);
    assertThat(page.read(List.of(first(6, 5)), 7, epochHistory)).isTrue();
    HistoryPage read = page.page();
    assertThat(read.refusal()).as("only the marker is gone").isEmpty();
    assertThat(read.next()).isEqualTo(6);
  }

  @Test
  void what_else_was_in_the_hole_is_not_known() {
    readBehindHole(first(6, 4));
    assertThat(epochHistory.from()).isEqualTo(6);
    assertThat(epochHistory.isMarker(4)).isFalse();
    assertThat(epochHistory.isMarker(5)).isFalse();
  }
}
