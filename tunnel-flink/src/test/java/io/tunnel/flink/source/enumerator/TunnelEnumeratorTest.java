package io.tunnel.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.SourceSettings;
import io.tunnel.flink.source.StartAt;
import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TunnelEnumeratorTest {

  private final FakeLookup lookup = new FakeLookup();
  private final TestingSplitEnumeratorContext<TunnelSplit> context =
      new TestingSplitEnumeratorContext<>(2);

  @BeforeEach
  void partitions() {
    lookup.add(4);
    lookup.add(5);
  }

  private static SourceSettings settings(TunnelType type, StartAt start, EndAt end) {
    return new SourceSettings(
        new TunnelOptions("localhost", "t"), type, start, end, "", SourceSettings.Reading.DEFAULTS);
  }

  private static SourceSettings unbounded() {
    return settings(TunnelType.Stream, StartAt.earliest(), EndAt.never());
  }

  private TunnelEnumerator started(SourceSettings settings, EnumeratorState state) {
    TunnelEnumerator enumerator = new TunnelEnumerator(context, settings, lookup, state);
    enumerator.start();
    context.triggerAllActions();
    return enumerator;
  }

  private TunnelEnumerator started(SourceSettings settings) {
    register(0, 1);
    return started(settings, EnumeratorState.EMPTY);
  }

  private void register(int... readers) {
    for (int reader : readers) {
      context.registerReader(reader, "host");
    }
  }

  private Map<Integer, List<TunnelSplit>> assigned() {
    Map<Integer, List<TunnelSplit>> assigned = new TreeMap<>();
    context
        .getSplitAssignments()
        .forEach((reader, state) -> assigned.put(reader, state.getAssignedSplits()));
    return assigned;
  }

  private List<TunnelSplit> allAssigned() {
    List<TunnelSplit> all = new ArrayList<>();
    assigned().values().forEach(all::addAll);
    return all;
  }

  @Test
  void each_partition_goes_to_one_reader_when_that_is_there() {
    register(1);
    TunnelEnumerator enumerator = started(unbounded(), EnumeratorState.EMPTY);
    assertThat(assigned()).isEqualTo(Map.of(1, List.of(TunnelSplit.changes(5, 1))));
    register(0);
    enumerator.addReader(0);
    assertThat(assigned().get(0)).containsExactly(TunnelSplit.changes(4, 1));
    assertThat(enumerator.snapshotState(1).waiting()).isEmpty();
    assertThat(context.getSplitAssignments().get(0).hasReceivedNoMoreSplitsSignal()).isFalse();
  }

  @Test
  void starts_and_ends_are_those_that_were_asked_for() {
    started(settings(TunnelType.Stream, StartAt.latest(), EndAt.latest()));
    assertThat(allAssigned())
        .containsExactlyInAnyOrder(
            TunnelSplit.changes(4, 40).withEnd(Optional.of(40L), Optional.empty()),
            TunnelSplit.changes(5, 50).withEnd(Optional.of(50L), Optional.empty()));
    assertThat(context.getSplitAssignments().values())
        .allMatch(
            TestingSplitEnumeratorContext.SplitAssignmentState::hasReceivedNoMoreSplitsSignal);
  }

  @Test
  void a_moment_to_start_is_looked_up_and_one_to_end_goes_with_the_split() {
    started(settings(TunnelType.Stream, StartAt.timestamp(77), EndAt.timestamp(88)));
    assertThat(lookup.asked).containsExactly(Optional.of(77L));
    assertThat(allAssigned())
        .containsExactlyInAnyOrder(
            TunnelSplit.changes(4, 5).withEnd(Optional.empty(), Optional.of(88L)),
            TunnelSplit.changes(5, 5).withEnd(Optional.empty(), Optional.of(88L)));
  }

  @Test
  void rows_come_before_the_changes_behind_a_position_found_first() {
    started(settings(TunnelType.BaseAndStream, StartAt.earliest(), EndAt.never()));
    assertThat(assigned().get(0)).containsExactly(TunnelSplit.rowsAndChanges(4, 40));
  }

  @Test
  void positions_keep_the_incarnation_in_which_they_were_found() {
    lookup.incarnation = Optional.of(9L);
    started(settings(TunnelType.BaseAndStream, StartAt.earliest(), EndAt.never()));
    assertThat(assigned().get(0))
        .containsExactly(TunnelSplit.rowsAndChanges(4, 40).in(Optional.of(9L)));
  }

  @Test
  void rows_alone_are_bounded() {
    started(settings(TunnelType.BaseData, StartAt.earliest(), EndAt.never()));
    assertThat(assigned().get(0).get(0).base().kind()).isEqualTo(BasePart.Kind.ALONE);
    assertThat(context.getSplitAssignments().get(0).hasReceivedNoMoreSplitsSignal()).isTrue();
  }

  @Test
  void a_tunnels_progress_is_taken_up_and_what_it_does_not_have_is_new() {
    lookup.add(6);
    Bytes key = Bytes.fromHex("038000000000000001");
    // Of what was found now; what the tunnel's progress is of, only the tunnel knows.
    lookup.incarnation = Optional.of(9L);
    lookup.progress =
        Optional.of(
            new CheckpointSet(
                3,
                "t",
                "n",
                List.of(
                    new ChannelPosition(
                        4, ChannelType.Stream, 20, Bytes.EMPTY, false, Optional.of(7L)),
                    new ChannelPosition(4, ChannelType.BaseData, 9, key, true),
                    new ChannelPosition(5, ChannelType.Stream, 30, Bytes.EMPTY, false),
                    new ChannelPosition(5, ChannelType.BaseData, 2, key, false))));
    started(settings(TunnelType.BaseAndStream, StartAt.checkpointOf("n"), EndAt.never()));
    assertThat(allAssigned())
        .containsExactlyInAnyOrder(
            TunnelSplit.changes(4, 20).in(Optional.of(7L)),
            TunnelSplit.changes(5, 30)
                .withBase(new BasePart(BasePart.Kind.BEFORE_CHANGES, 2, key, List.of())),
            TunnelSplit.changes(6, 0));
  }

  private static CheckpointSet progress(ChannelType type) {
    return new CheckpointSet(
        3, "t", "n", List.of(new ChannelPosition(4, type, 0, Bytes.EMPTY, false)));
  }

  @Test
  void a_tunnel_of_another_type_is_named_with_the_right_types() {
    EnumeratorState fresh = EnumeratorState.EMPTY;
    lookup.progress = Optional.of(progress(ChannelType.BaseData));
    assertThatThrownBy(
            () ->
                started(
                    settings(TunnelType.Stream, StartAt.checkpointOf("n"), EndAt.never()), fresh))
        .hasStackTraceContaining("tunnel n has no progress in changes; one of type Stream");
    assertThatThrownBy(
            () ->
                started(
                    new SourceSettings(
                        new TunnelOptions("localhost", "t"),
                        TunnelType.Stream,
                        StartAt.earliest(),
                        EndAt.never(),
                        "n",
                        SourceSettings.Reading.DEFAULTS),
                    fresh))
        .as("to report to")
        .hasStackTraceContaining("tunnel n has no progress in changes");
    lookup.progress = Optional.of(progress(ChannelType.Stream));
    assertThatThrownBy(
            () ->
                started(
                    settings(TunnelType.BaseData, StartAt.checkpointOf("n"), EndAt.never()), fresh))
        .hasStackTraceContaining("no progress in rows; one of type BaseData or BaseAndStream");
  }

  /** A new partition, of whose parents not everything was read. */
  private static TunnelSplit partly(int partition) {
    return TunnelSplit.changes(partition, 0).withWhole(false);
  }

  private Map<Integer, Boolean> wholeByPartition() {
    return allAssigned().stream()
        .collect(Collectors.toMap(TunnelSplit::partition, TunnelSplit::isWhole));
  }

  @Test
  void who_starts_at_the_earliest_change_sees_all_only_where_that_is_the_first() {
    started(unbounded());
    assertThat(wholeByPartition()).isEqualTo(Map.of(4, false, 5, false));
  }

  @Test
  void children_see_all_when_their_parents_do_also_after_a_restore() {
    lookup.earliest = 0;
    lookup.add(6, 4);
    lookup.add(7, 3);
    TunnelEnumerator enumerator = started(unbounded());
    assertThat(wholeByPartition())
        .as("3 is a parent that nobody reads")
        .isEqualTo(Map.of(4, true, 5, true, 7, false));
    EnumeratorState state = enumerator.snapshotState(1);
    assertThat(state.whole()).containsExactlyInAnyOrder(4, 5, 6);
    lookup.earliest = 3;
    lookup.add(8, 6);
    lookup.add(9, 7);
    FirstSplits.Found found =
        new FirstSplits(unbounded()).findNew(lookup, state.known(), state.whole());
    assertThat(found.splits())
        .extracting(WaitingSplit::split)
        .as("from their first changes, whether these are kept or not")
        .containsExactly(TunnelSplit.changes(8, 0), partly(9));
  }

  @Test
  void rows_before_changes_are_all_unless_a_tunnel_has_processed_some() {
    lookup.progress =
        Optional.of(
            new CheckpointSet(
                3,
                "t",
                "n",
                List.of(
                    new ChannelPosition(4, ChannelType.Stream, 20, Bytes.EMPTY, false),
                    new ChannelPosition(4, ChannelType.BaseData, 0, Bytes.EMPTY, false),
                    new ChannelPosition(5, ChannelType.Stream, 0, Bytes.EMPTY, false),
                    new ChannelPosition(
                        5, ChannelType.BaseData, 2, Bytes.fromHex("038000000000000001"), false))));
    started(settings(TunnelType.BaseAndStream, StartAt.checkpointOf("n"), EndAt.never()));
    assertThat(wholeByPartition()).isEqualTo(Map.of(4, true, 5, false));
  }

  @Test
  void children_wait_for_all_their_parents() {
    TunnelEnumerator enumerator = started(unbounded());
    lookup.add(8, 4, 5);
    lookup.add(9, 1);
    context.getExecutorService().triggerPeriodicScheduledTasks();
    context.triggerAllActions();
    assertThat(allAssigned())
        .as("parents that the job never saw are over")
        .extracting(TunnelSplit::partition)
        .containsExactlyInAnyOrder(4, 5, 9);
    enumerator.handleSourceEvent(0, new FinishedSplits(Set.of(4)));
    assertThat(allAssigned()).hasSize(3);
    EnumeratorState state = enumerator.snapshotState(1);
    assertThat(state.waiting())
        .extracting(waiting -> waiting.split().partition())
        .containsExactly(8);
    enumerator.handleSourceEvent(1, new FinishedSplits(Set.of(5)));
    assertThat(assigned().get(0)).contains(partly(8));

    TestingSplitEnumeratorContext<TunnelSplit> later = new TestingSplitEnumeratorContext<>(1);
    later.registerReader(0, "host");
    TunnelEnumerator restored = new TunnelEnumerator(later, unbounded(), lookup, state);
    restored.start();
    later.triggerAllActions();
    assertThat(later.getSplitAssignments()).as("5 is read by somebody").isEmpty();
    restored.handleSourceEvent(0, new FinishedSplits(Set.of(5)));
    assertThat(later.getSplitAssignments().get(0).getAssignedSplits()).containsExactly(partly(8));
  }

  @Test
  void what_comes_back_is_given_out_again_as_it_is() {
    TunnelEnumerator enumerator = started(unbounded());
    TunnelSplit back = TunnelSplit.changes(4, 7);
    enumerator.addSplitsBack(List.of(back), 0);
    assertThat(assigned().get(0)).containsExactly(TunnelSplit.changes(4, 1), back);
  }

  /** The reader reads again what it has read since: told or not, that is not over. */
  @Test
  void that_a_split_is_finished_is_taken_back_with_its_reader_until_a_checkpoint_has_it() {
    TunnelEnumerator enumerator = started(unbounded());
    TunnelSplit first = TunnelSplit.changes(4, 1);
    enumerator.handleSourceEvent(0, new FinishedSplits(Set.of(4)));
    enumerator.addSplitsBack(List.of(first), 0);
    assertThat(assigned().get(0)).containsExactly(first, first);
    enumerator.handleSourceEvent(0, new FinishedSplits(Set.of(4)));
    assertThat(enumerator.snapshotState(1).finished()).containsExactly(4);
    enumerator.notifyCheckpointComplete(1);
    enumerator.addSplitsBack(List.of(), 0);
    assertThat(enumerator.snapshotState(2).finished()).as("it is over").containsExactly(4);
    enumerator.handleSourceEvent(1, new FinishedSplits(Set.of(5)));
    enumerator.notifyCheckpointComplete(2);
    enumerator.addSplitsBack(List.of(), 1);
    assertThat(enumerator.snapshotState(3).finished())
        .as("told after the checkpoint had begun")
        .containsExactly(4);
  }

  @Test
  void children_that_come_back_wait_again_for_parents_that_are_read_again() {
    TunnelEnumerator enumerator = started(unbounded());
    lookup.add(8, 4, 5);
    context.getExecutorService().triggerPeriodicScheduledTasks();
    context.triggerAllActions();
    enumerator.handleSourceEvent(0, new FinishedSplits(Set.of(4)));
    enumerator.handleSourceEvent(1, new FinishedSplits(Set.of(5)));
    TunnelSplit child = partly(8);
    assertThat(assigned().get(0)).containsOnlyOnce(child);
    // A checkpoint of before is where both readers go on, 4 and 5 not being finished in it.
    enumerator.addSplitsBack(List.of(), 1);
    enumerator.addSplitsBack(List.of(child), 0);
    assertThat(assigned().get(0)).containsOnlyOnce(child);
    enumerator.handleSourceEvent(1, new FinishedSplits(Set.of(5)));
    assertThat(assigned().get(0)).containsOnlyOnce(child);
    enumerator.handleSourceEvent(0, new FinishedSplits(Set.of(4)));
    assertThat(assigned().get(0)).filteredOn(child::equals).hasSize(2);
  }

  @Test
  void what_was_found_already_is_not_looked_for_again() {
    register(0, 1);
    EnumeratorState state =
        new EnumeratorState(
            Optional.of(3),
            Set.of(4, 5),
            Set.of(),
            Set.of(),
            List.of(new WaitingSplit(TunnelSplit.changes(5, 9), List.of())));
    TunnelEnumerator enumerator = started(unbounded(), state);
    assertThat(lookup.asked).isEmpty();
    assertThat(allAssigned()).containsExactly(TunnelSplit.changes(5, 9));
    enumerator.close();
    assertThat(lookup.isClosed).isTrue();
  }

  @Test
  void a_table_that_is_gone_or_another_one_fails_the_job() {
    TunnelEnumerator enumerator = started(unbounded());
    assertThatThrownBy(() -> enumerator.foundNew(new FirstSplits.Found(4, List.of()), null))
        .hasMessageContaining("made anew");
    lookup.isDropped = true;
    RefusedException gone = catchThrowableOfType(RefusedException.class, lookup::table);
    assertThatThrownBy(() -> enumerator.foundNew(null, gone))
        .hasMessageContaining("there is no table t");
    enumerator.foundNew(null, new ConnectionException("not now", true, null));
  }

  @Test
  void settings_that_do_not_fit_together_are_refused() {
    assertThatThrownBy(() -> settings(TunnelType.BaseAndStream, StartAt.latest(), EndAt.never()))
        .hasMessageContaining("rows are read before changes");
    assertThatThrownBy(() -> settings(TunnelType.BaseData, StartAt.earliest(), EndAt.latest()))
        .hasMessageContaining("rows end where they end");
    assertThatThrownBy(() -> StartAt.timestamp(-1)).hasMessageContaining("at least 0");
    assertThatThrownBy(() -> EndAt.timestamp(-1)).hasMessageContaining("at least 0");
  }
}
