package io.tunnel.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.RowRange;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.ReadStart;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsRemoval;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

class TunnelSplitReaderTest {

  private static final BasePart ROWS = BasePart.all(BasePart.Kind.BEFORE_CHANGES);

  private final FakePartitions partitions = new FakePartitions();
  private final ManualClock clock = new ManualClock();
  private final MetricListener metrics = new MetricListener();
  private final ChannelFigures figures =
      new ChannelFigures(InternalSourceReaderMetricGroup.mock(metrics.getMetricGroup()), clock);
  private final TunnelSplitReader reader = new TunnelSplitReader(() -> partitions, figures);

  private void add(TunnelSplit split) {
    reader.handleSplitsChanges(new SplitsAddition<>(List.of(split)));
  }

  private static List<Long> positions(RecordsWithSplitIds<FetchedRecord> fetched) {
    List<Long> positions = new ArrayList<>();
    for (FetchedRecord next = fetched.nextRecordFromSplit();
        next != null;
        next = fetched.nextRecordFromSplit()) {
      positions.add(next.record().position());
    }
    return positions;
  }

  /** Behind changes that rows have, what is asked about is the last of these. */
  @Test
  void what_a_split_has_seen_is_asked_about_before_it_goes_on() {
    TunnelSplit changes = TunnelSplit.changes(7, 40);
    assertThat(changes.start().known()).as("before the service has named one").isEmpty();
    assertThat(changes.in(Optional.of(9L)).start().known()).contains(new KnownPosition(40, 9));
    List<RowRange> ranges = List.of(new RowRange(Bytes.EMPTY, 45));
    assertThat(changes.behind(42, BasePart.done(ranges)).in(Optional.of(9L)).start().known())
        .contains(new KnownPosition(45, 9));
    TunnelSplit rows = TunnelSplit.rowsAndChanges(7, 40).in(Optional.of(9L));
    assertThat(rows.start().known()).contains(new KnownPosition(40, 9));
    BasePart alone = BasePart.all(BasePart.Kind.ALONE);
    assertThat(rows.withBase(alone).start().known()).as("no changes follow").isEmpty();
  }

  @Test
  void a_split_whose_changes_were_lost_fails_the_job_with_the_services_words() {
    add(TunnelSplit.changes(7, 40).in(Optional.of(9L)));
    assertThat(partitions.lastStart().known()).contains(new KnownPosition(40, 9));
    partitions.failure =
        Optional.of(new RefusedException(ErrorCode.POSITION_REPLACED, "those behind 12 were lost"));
    assertThatThrownBy(() -> reader.fetch())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("those behind 12 were lost");
  }

  @Test
  void records_come_under_their_splits_and_are_released_when_flink_is_done() throws IOException {
    assertThat(reader.fetch().nextSplit()).as("nothing to read yet").isNull();
    add(TunnelSplit.changes(7, 4));
    partitions.deliver(partitions.lastStart(), Deliveries.records(7, 5, 3, 1));
    RecordsWithSplitIds<FetchedRecord> fetched = reader.fetch();
    assertThat(fetched.nextSplit()).isEqualTo("7");
    assertThat(positions(fetched)).containsExactly(5L, 6L, 7L);
    assertThat(fetched.nextSplit()).isNull();
    assertThat(fetched.finishedSplits()).isEmpty();
    assertThat(partitions.released).isZero();
    fetched.recycle();
    assertThat(partitions.released).isEqualTo(1);
    assertThat(reader.fetch().nextSplit()).isNull();
  }

  @Test
  void changes_are_begun_behind_the_position_that_was_found_before_the_rows() throws IOException {
    add(TunnelSplit.changes(7, 40).withBase(ROWS));
    ReadStart rows = partitions.lastStart();
    assertThat(rows).isEqualTo(ReadStart.rows(7));
    partitions.deliver(rows, Deliveries.records(7, 1, 2, 1));
    RecordsWithSplitIds<FetchedRecord> fetched = reader.fetch();
    assertThat(fetched.nextSplit()).isEqualTo("7");
    assertThat(fetched.nextRecordFromSplit().type()).isEqualTo(ChannelType.BaseData);
    partitions.end(rows);
    RecordsWithSplitIds<FetchedRecord> end = reader.fetch();
    assertThat(end.finishedSplits()).isEmpty();
    assertThat(end.nextSplit()).isEqualTo("7");
    FetchedRecord told = end.nextRecordFromSplit();
    assertThat(told.isRowsEnd()).isTrue();
    assertThat(told.seenIn()).isEqualTo(new SeenIn(Optional.of(40L), Optional.of(8L)));
    assertThat(end.nextRecordFromSplit()).isNull();
    assertThat(partitions.lastStart())
        .isEqualTo(ReadStart.changes(7, 40).knowing(new KnownPosition(40, 8)));
    partitions.end(partitions.lastStart());
    assertThat(reader.fetch().finishedSplits()).isEqualTo(Set.of("7"));
  }

  @Test
  void splits_with_nothing_left_are_finished_without_asking() throws IOException {
    add(TunnelSplit.changes(7, 40).withEnd(Optional.of(40L), Optional.empty()));
    assertThat(partitions.started).isEmpty();
    assertThat(reader.fetch().finishedSplits()).isEqualTo(Set.of("7"));
    assertThat(reader.fetch().finishedSplits()).isEmpty();
    add(TunnelSplit.changes(8, 40).withBase(ROWS).withEnd(Optional.of(40L), Optional.empty()));
    partitions.end(partitions.lastStart());
    assertThat(reader.fetch().finishedSplits()).as("rows, and no changes").isEqualTo(Set.of("8"));
    assertThat(partitions.started).hasSize(1);
    add(TunnelSplit.changes(9, 40).withBase(BasePart.all(BasePart.Kind.ALONE)));
    partitions.end(partitions.lastStart());
    assertThat(reader.fetch().finishedSplits()).isEqualTo(Set.of("9"));
  }

  @Test
  void paused_splits_are_paused_where_they_are_read() {
    TunnelSplit split = TunnelSplit.changes(7, 0);
    reader.pauseOrResumeSplits(List.of(split), List.of());
    reader.wakeUp();
    add(split);
    reader.pauseOrResumeSplits(List.of(split), List.of());
    assertThat(partitions.paused).containsExactly(7);
    reader.pauseOrResumeSplits(List.of(), List.of(split));
    assertThat(partitions.paused).isEmpty();
    reader.wakeUp();
    assertThat(partitions.wakes).isEqualTo(1);
    reader.close();
    assertThat(partitions.isClosed).isTrue();
  }

  @Test
  void what_cannot_be_read_fails_with_its_reason() {
    add(TunnelSplit.changes(7, 0));
    partitions.failure =
        Optional.of(new RefusedException(ErrorCode.HISTORY_LOST, "1 to 9 are gone"));
    assertThatThrownBy(reader::fetch)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1 to 9 are gone");
    assertThatThrownBy(
            () ->
                reader.handleSplitsChanges(new SplitsRemoval<>(List.of(TunnelSplit.changes(7, 0)))))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void a_partition_that_comes_again_is_not_paused_by_what_was_before() {
    add(TunnelSplit.changes(7, 0));
    reader.pauseOrResumeSplits(List.of(TunnelSplit.changes(7, 0)), List.of());
    add(TunnelSplit.changes(7, 9));
    assertThat(partitions.paused).isEmpty();
  }

  @Test
  void the_lag_of_what_came_is_its_age() throws IOException {
    Gauge<Long> fetchLag = metrics.<Long>getGauge("currentFetchEventTimeLag").orElseThrow();
    assertThat(fetchLag.getValue()).as("nothing came").isEqualTo(-1L);
    add(TunnelSplit.changes(7, 4));
    partitions.deliver(partitions.lastStart(), Deliveries.records(7, 5, 3, 2_000_000));
    clock.advanceTime(Duration.ofSeconds(12));
    assertThat(reader.fetch().nextSplit()).isEqualTo("7");
    assertThat(fetchLag.getValue()).isEqualTo(10_000L);
  }

  @Test
  void gauges_of_a_channel_that_is_not_read_any_more_are_zero_and_live_when_it_comes_again()
      throws IOException {
    figures.channel(7, 10);
    add(TunnelSplit.changes(7, 10));
    assertThat(reader.fetch().nextSplit()).isNull();
    Gauge<Long> position = metrics.<Long>getGauge("channel", "7", "position").orElseThrow();
    Gauge<Long> lag = metrics.<Long>getGauge("channel", "7", "lag").orElseThrow();
    Gauge<Long> pending = metrics.<Long>getGauge("pendingRecords").orElseThrow();
    assertThat(position.getValue()).isEqualTo(10L);
    assertThat(lag.getValue()).isEqualTo(90L);
    assertThat(pending.getValue()).isEqualTo(90L);
    figures.forget(7);
    assertThat(position.getValue()).isZero();
    assertThat(lag.getValue()).isZero();
    assertThat(pending.getValue()).isZero();
    figures.channel(7, 60);
    clock.advanceTime(Duration.ofSeconds(5));
    assertThat(reader.fetch().nextSplit()).isNull();
    assertThat(position.getValue()).isEqualTo(60L);
    assertThat(lag.getValue()).isEqualTo(40L);
  }

  @Test
  void lag_is_what_the_service_said_last_less_what_was_emitted() throws IOException {
    ChannelFigures.Figures channel = figures.channel(7, 10);
    assertThat(channel.lag()).as("not known yet").isZero();
    add(TunnelSplit.changes(7, 10));
    var unused = reader.fetch();
    assertThat(channel.lag()).isEqualTo(90);
    channel.emitted(70);
    assertThat(channel.lag()).isEqualTo(30);
    var again = reader.fetch();
    assertThat(again.nextSplit()).isNull();
    assertThat(partitions.questions).as("not each time").isEqualTo(1);
    assertThat(figures.pending()).isEqualTo(30);
    figures.forget(7);
    assertThat(figures.pending()).as("it was read to its end").isZero();
    clock.advanceTime(Duration.ofSeconds(5));
    assertThat(reader.fetch().nextSplit()).isNull();
    assertThat(partitions.questions).isEqualTo(2);
  }
}
