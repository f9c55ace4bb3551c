package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.replica.history.EpochHistory.Stretch;
import io.tunnel.server.replica.history.HistoryCore.Fetch;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Epoch 5 is the newest from 5 on, broken at 9, and epoch 12 from 12 on. */
class PageCoreTest {

  private static final int PLENTY = 1 << 20;
  private static final long NEVER = Long.MAX_VALUE;
  private static final EpochHistory EPOCHS =
      new EpochHistory(
          0, List.of(new Stretch(5, 5, 9), new Stretch(12, 12, NEVER), new Stretch(13, 13, NEVER)));

  private static PageCore page(long from, long limit, int bytesMax) {
    return new PageCore(new Fetch(1, 1, from, limit, 70), bytesMax, PLENTY);
  }

  private static Stored stored(long offset, Kind kind, long epoch) {
    Bytes key = kind == Kind.MARKER ? Bytes.EMPTY : TestRows.keyBytes("k" + offset);
    return new Stored(offset, offset * 10, new Entry(kind, key, epoch, 1, Optional.empty()));
  }

  private static List<Long> positions(HistoryPage page) {
    return page.batches().stream().map(ChangeBatch::basePosition).toList();
  }

  @Test
  void what_does_not_count_is_left_out() {
    PageCore page = page(6, 16, PLENTY);
    List<Stored> records =
        List.of(
            stored(6, Kind.CHANGE, 5),
            stored(7, Kind.CHANGE, 3),
            stored(8, Kind.REPAIR, 5),
            stored(9, Kind.CHANGE, 5),
            stored(10, Kind.CHANGE, 5),
            stored(11, Kind.CHANGE, 12),
            stored(12, Kind.MARKER, 0),
            stored(13, Kind.MARKER, 0),
            stored(14, Kind.CHANGE, 13));
    assertThat(page.read(records, 15, EPOCHS)).isFalse();
    assertThat(page.next()).isEqualTo(15);
    assertThat(page.read(List.of(stored(15, Kind.CHANGE, 13)), 16, EPOCHS)).isTrue();
    HistoryPage read = page.page();
    assertThat(positions(read)).containsExactly(6L, 14L, 15L);
    assertThat(read.next()).isEqualTo(16);
  }

  @Test
  void commit_times_do_not_fall() {
    PageCore page = page(6, 8, PLENTY);
    assertThat(page.read(List.of(stored(6, Kind.CHANGE, 5), stored(7, Kind.CHANGE, 5)), 8, EPOCHS))
        .isTrue();
    HistoryPage read = page.page();
    assertThat(read.batches()).hasSize(1);
    assertThat(read.batches().get(0).commitMicros()).isEqualTo(70);
    assertThat(read.batches().get(0).rowCount()).isEqualTo(2);
  }

  @Test
  void it_ends_in_front_of_a_gap_and_the_next_one_is_lost() {
    PageCore front = page(6, 16, PLENTY);
    List<Stored> records = List.of(stored(6, Kind.CHANGE, 5), stored(8, Kind.CHANGE, 5));
    assertThat(front.read(records, 9, EPOCHS)).isTrue();
    HistoryPage read = front.page();
    assertThat(read.next()).isEqualTo(7);
    assertThat(positions(read)).containsExactly(6L);
    PageCore lost = page(7, 16, PLENTY);
    assertThat(lost.read(List.of(stored(8, Kind.CHANGE, 5)), 9, EPOCHS)).isTrue();
    assertThat(lost.page().refusal().orElseThrow().code()).isEqualTo(ErrorCode.HISTORY_LOST);
    assertThat(lost.page().refusal().orElseThrow()).hasMessageContaining("changes 7 to 7 of");
    assertThat(lost.page().next()).isEqualTo(8);
  }

  @Test
  void nothing_at_the_end_of_what_was_read_is_a_gap_too() {
    PageCore page = page(7, 16, PLENTY);
    assertThat(page.read(List.of(), 10, EPOCHS)).isTrue();
    assertThat(page.page().refusal().orElseThrow()).hasMessageContaining("changes 7 to 9 of");
  }

  @Test
  void a_marker_that_is_gone_is_no_gap() {
    PageCore page = page(12, 15, PLENTY);
    List<Stored> records = List.of(stored(13, Kind.MARKER, 0), stored(14, Kind.CHANGE, 13));
    assertThat(page.read(records, 15, EPOCHS)).isTrue();
    HistoryPage read = page.page();
    assertThat(read.refusal()).isEmpty();
    assertThat(positions(read)).containsExactly(14L);
  }

  @Test
  void what_is_not_known_is_not_judged() {
    PageCore page = page(3, 16, PLENTY);
    List<Stored> records = List.of(stored(3, Kind.CHANGE, 1));
    assertThatThrownBy(() -> page.read(records, 4, EPOCHS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("from 5 on, not from 3");
    assertThat(EpochHistory.NONE.from()).isEqualTo(NEVER);
  }

  @Test
  void a_log_that_does_not_reach_that_far_has_lost_it() {
    PageCore page = page(6, 16, PLENTY);
    page.lose();
    assertThat(page.page().refusal().orElseThrow()).hasMessageContaining("changes 6 to 15 of");
  }

  @Test
  void it_is_done_with_so_many_bytes_and_not_later() {
    PageCore page = page(6, 9, 1);
    List<Stored> records = List.of(stored(6, Kind.CHANGE, 5), stored(7, Kind.CHANGE, 5));
    assertThat(page.read(records, 8, EPOCHS)).isTrue();
    assertThat(page.page().next()).isEqualTo(7);
    PageCore large = page(6, 9, PLENTY);
    assertThat(large.read(records, 8, EPOCHS)).isFalse();
  }

  @Test
  void a_record_that_nobody_can_have_written_is_named() {
    PageCore page = page(6, 9, PLENTY);
    Entry nonsense =
        new Entry(Kind.CHANGE, TestRows.keyBytes("a"), 5, 1, Optional.of(Bytes.fromHex("00")));
    assertThat(page.read(List.of(new Stored(6, 1, nonsense)), 7, EPOCHS)).isTrue();
    assertThat(page.page().refusal().orElseThrow().code()).isEqualTo(ErrorCode.CORRUPT);
    assertThat(page.page().refusal().orElseThrow()).hasMessageContaining("record 6 of partition 1");
  }

  /** Another node knows it, or this one after its upgrade: nobody has to resume the channel. */
  @Test
  void a_record_of_a_newer_build_is_for_another_node() {
    PageCore page = page(6, 9, PLENTY);
    Entry newer =
        RecordHeader.decode(new byte[] {2}, TestRows.keyBytes("a"), Optional.of(Bytes.EMPTY));
    assertThat(page.read(List.of(new Stored(6, 1, newer)), 7, EPOCHS)).isTrue();
    assertThat(page.page().refusal().orElseThrow().code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(page.page().refusal().orElseThrow())
        .hasMessageContaining("record 6 of partition 1: a record with a header of form 2");
  }

  @Test
  void a_plan_is_whole_batches_and_at_least_one() {
    PageCore page = page(6, 16, PLENTY);
    List<Stored> records =
        List.of(
            stored(6, Kind.CHANGE, 5),
            stored(7, Kind.CHANGE, 3),
            stored(8, Kind.CHANGE, 5),
            stored(9, Kind.CHANGE, 5));
    assertThat(page.read(records, 10, EPOCHS)).isFalse();
    HistoryPage read = page.page();
    List<ChangeBatch> both = read.batches();
    assertThat(both).hasSize(2);
    assertThat(read.plan(6, 1)).containsExactly(both.get(0));
    assertThat(read.plan(6, both.get(0).byteCount() + both.get(1).byteCount())).isEqualTo(both);
    assertThat(read.plan(6, both.get(0).byteCount() + both.get(1).byteCount() - 1)).hasSize(1);
    assertThat(read.plan(7, 1)).containsExactly(both.get(1));
    assertThat(read.plan(9, 1)).isEmpty();
    Extents held = Extents.held(both);
    assertThat(held.firstPosition()).isEqualTo(6);
    assertThat(held.lastPosition()).isEqualTo(8);
    assertThat(held.upTo(7).lastPosition()).isEqualTo(6);
    assertThat(held.upTo(5).isEmpty()).isTrue();
    assertThatThrownBy(() -> Extents.held(List.of(both.get(1), both.get(0))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
