package io.tunnel.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.flink.source.enumerator.FinishedSplits;
import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.RowRange;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.flink.source.split.TunnelSplitState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.fetcher.SingleThreadFetcherManager;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // A reader may be interrupted when it closes.
class TunnelSourceReaderTest {

  private final TestingReaderContext context = new TestingReaderContext();
  private final List<List<ChannelPosition>> reported = new ArrayList<>();
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private boolean reportsFail;
  private boolean isClosed;

  private TunnelSourceReader<String> reader() {
    ChannelFigures figures = new ChannelFigures(context.metricGroup(), new ManualClock());
    return reader(
        figures,
        new SingleThreadFetcherManager<>(
            () -> new TunnelSplitReader(FakePartitions::new, figures), new Configuration()));
  }

  private TunnelSourceReader<String> reader(
      ChannelFigures figures, SingleThreadFetcherManager<FetchedRecord, TunnelSplit> fetchers) {
    return new TunnelSourceReader<>(
        fetchers,
        new TunnelRecordEmitter<>(new Values(), figures),
        figures,
        Optional.of(reports()),
        context);
  }

  private CheckpointReports reports() {
    return new CheckpointReports(
        new CheckpointReports.Target() {
          @Override
          public void report(List<ChannelPosition> positions) {
            if (reportsFail) {
              throw new IllegalStateException("no");
            }
            reported.add(positions);
          }

          @Override
          public void close() {
            isClosed = true;
          }
        },
        waiting::add);
  }

  private void runWaiting() {
    while (!waiting.isEmpty()) {
      waiting.poll().run();
    }
  }

  /** The values of the column "value"; those of "v9" fail. */
  private static final class Values implements TunnelDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(StreamRecord record, Collector<String> out) throws IOException {
      String value = record.value("value").orElseThrow().asString();
      if (value.equals("v9")) {
        throw new IOException("what is this?");
      }
      out.collect(value);
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }

  @Test
  void a_split_stays_finished_until_a_checkpoint_is_complete_that_knows_it() throws Exception {
    try (TunnelSourceReader<String> reader = reader()) {
      TunnelSplit end = TunnelSplit.changes(7, 40);
      SplitProgress progress =
          new SplitProgress(new TunnelSplitState(end), new ChannelFigures.Figures(40));
      assertThat(reader.snapshotState(1)).isEmpty();
      reader.onSplitFinished(Map.of("7", progress));
      assertThat(context.getSentEvents()).containsExactly(new FinishedSplits(Set.of(7)));
      reader.notifyCheckpointComplete(1);
      assertThat(reader.snapshotState(2)).containsExactly(end.finished());
      assertThat(reader.snapshotState(3)).containsExactly(end.finished());
      reader.notifyCheckpointComplete(2);
      assertThat(reader.snapshotState(4)).isEmpty();
    }
  }

  @Test
  void a_finished_split_of_a_checkpoint_is_told_again_and_not_read() throws Exception {
    try (TunnelSourceReader<String> reader = reader()) {
      TunnelSplit finished = TunnelSplit.changes(7, 40).finished();
      reader.addSplits(List.of(finished));
      assertThat(context.getSentEvents()).containsExactly(new FinishedSplits(Set.of(7)));
      assertThat(reader.getNumberOfCurrentlyAssignedSplits()).isZero();
      assertThat(reader.snapshotState(1)).containsExactly(finished);
    }
  }

  @Test
  void completed_checkpoints_are_reported_the_newest_of_those_that_wait() throws Exception {
    try (TunnelSourceReader<String> reader = reader()) {
      reader.addSplits(List.of(TunnelSplit.changes(7, 40)));
      reader.addSplits(
          List.of(TunnelSplit.changes(8, 3).withBase(BasePart.all(BasePart.Kind.BEFORE_CHANGES))));
      var unused = reader.snapshotState(1);
      unused = reader.snapshotState(2);
      reader.notifyCheckpointComplete(1);
      reader.notifyCheckpointComplete(2);
      assertThat(waiting).hasSize(1);
      runWaiting();
      ChannelPosition at = new ChannelPosition(7, ChannelType.Stream, 40, Bytes.EMPTY, false);
      assertThat(reported).as("rows are not progress in changes").containsExactly(List.of(at));
      unused = reader.snapshotState(3);
      reportsFail = true;
      reader.notifyCheckpointComplete(3);
      runWaiting();
      reportsFail = false;
      unused = reader.snapshotState(4);
      reader.notifyCheckpointComplete(4);
      runWaiting();
      assertThat(reported).hasSize(2);
    }
    assertThat(isClosed).isTrue();
  }

  @Test
  void reports_end_also_when_the_fetchers_cannot_be_closed() {
    TunnelSourceReader<String> reader =
        reader(
            new ChannelFigures(context.metricGroup(), new ManualClock()),
            new SingleThreadFetcherManager<>(
                () -> {
                  throw new AssertionError("nothing is fetched");
                },
                new Configuration()) {
              @Override
              public synchronized void close(long timeoutMs) {
                throw new IllegalStateException("fetchers do not end");
              }
            });
    assertThatThrownBy(reader::close).hasMessageContaining("fetchers do not end");
    assertThat(isClosed).isTrue();
  }

  @Test
  void what_was_read_to_its_end_is_reported_even_if_that_takes_several_attempts() throws Exception {
    try (TunnelSourceReader<String> reader = reader()) {
      SplitProgress progress =
          new SplitProgress(
              new TunnelSplitState(TunnelSplit.changes(7, 40)), new ChannelFigures.Figures(40));
      reader.onSplitFinished(Map.of("7", progress));
      reader.addSplits(List.of(TunnelSplit.changes(8, 3)));
      var unused = reader.snapshotState(1);
      reader.notifyCheckpointComplete(1);
      reportsFail = true;
      runWaiting();
      reportsFail = false;
      unused = reader.snapshotState(2);
      reader.notifyCheckpointComplete(2);
      runWaiting();
      assertThat(reported)
          .containsExactly(
              List.of(
                  new ChannelPosition(7, ChannelType.Stream, 40, Bytes.EMPTY, false),
                  new ChannelPosition(8, ChannelType.Stream, 3, Bytes.EMPTY, false)));
    }
  }

  @Test
  void checkpoints_that_are_never_complete_are_forgotten() {
    CheckpointReports reports = reports();
    for (long checkpoint = 0; checkpoint <= CheckpointReports.PENDING_MAX; checkpoint++) {
      reports.snapshot(checkpoint, List.of(TunnelSplit.changes(7, checkpoint)));
    }
    reports.complete(0);
    assertThat(waiting).isEmpty();
    reports.complete(1);
    runWaiting();
    assertThat(reported.get(0).get(0).position()).isEqualTo(1);
  }

  /** What a record was emitted with. */
  private record Emitted(String value, long epochMs) {}

  private static final class Output implements SourceOutput<String> {
    private final List<Emitted> emitted = new ArrayList<>();
    private Optional<RuntimeException> failure = Optional.empty();

    @Override
    public void collect(String value) {
      throw new AssertionError(value + " has no time");
    }

    @Override
    public void collect(String value, long epochMs) {
      failure.ifPresent(
          reason -> {
            throw reason;
          });
      emitted.add(new Emitted(value, epochMs));
    }

    @Override
    public void emitWatermark(Watermark watermark) {}

    @Override
    public void markIdle() {}

    @Override
    public void markActive() {}
  }

  @Test
  void event_time_is_commit_time_and_state_follows_what_was_emitted() throws IOException {
    MetricListener metrics = new MetricListener();
    ChannelFigures figures =
        new ChannelFigures(
            InternalSourceReaderMetricGroup.mock(metrics.getMetricGroup()), new ManualClock());
    Counter errors = metrics.getCounter("numRecordsInErrors").orElseThrow();
    TunnelRecordEmitter<String> emitter = new TunnelRecordEmitter<>(new Values(), figures);
    Output output = new Output();
    BasePart rows = BasePart.all(BasePart.Kind.BEFORE_CHANGES);
    TunnelSplit split = TunnelSplit.changes(7, 40).withBase(rows);
    SplitProgress progress =
        new SplitProgress(new TunnelSplitState(split), new ChannelFigures.Figures(40));
    assertThat(progress.state().toSplit()).isEqualTo(split);
    FetchedRecord row = new FetchedRecord(ChannelType.BaseData, at(40, 6));
    for (StreamRecord record : Deliveries.records(7, 1, 2, 5_999)) {
      emitter.emitRecord(row.of(record), output, progress);
    }
    assertThat(progress.state().toSplit())
        .isEqualTo(
            split
                .withBase(
                    new BasePart(
                        rows.kind(),
                        2,
                        Bytes.fromHex("038000000000000002"),
                        List.of(new RowRange(Bytes.fromHex("038000000000000002"), 40))))
                .in(Optional.of(6L)));
    emitter.emitRecord(new FetchedRecord(ChannelType.BaseData, at(40, 6)), output, progress);
    FetchedRecord change =
        new FetchedRecord(ChannelType.Stream, new SeenIn(Optional.empty(), Optional.of(8L)));
    emitter.emitRecord(change.of(Deliveries.records(7, 41, 1, 7_000).get(0)), output, progress);
    assertThat(progress.state().toSplit())
        .isEqualTo(TunnelSplit.changes(7, 41).in(Optional.of(8L)));
    assertThat(output.emitted)
        .containsExactly(new Emitted("v1", 0), new Emitted("v2", 0), new Emitted("v41", 7));
    SplitProgress alone =
        new SplitProgress(
            new TunnelSplitState(
                TunnelSplit.changes(8, 0).withBase(BasePart.all(BasePart.Kind.ALONE))),
            new ChannelFigures.Figures(0));
    emitter.emitRecord(row.of(Deliveries.records(8, 1, 1, 6_000).get(0)), output, alone);
    assertThat(output.emitted).last().as("no change can be older").isEqualTo(new Emitted("v1", 6));
    assertThatThrownBy(
            () ->
                emitter.emitRecord(
                    change.of(Deliveries.records(7, 9, 1, 1).get(0)), output, progress))
        .hasMessageContaining("position 9 of partition 7")
        .hasMessageContaining("PUT of row (id=9)")
        .hasMessageContaining("what is this?");
    assertThat(progress.state().position()).isEqualTo(41);
    assertThat(errors.getCount()).isEqualTo(1);
    RuntimeException behind = new IllegalStateException("an operator behind the source");
    output.failure = Optional.of(behind);
    assertThatThrownBy(
            () ->
                emitter.emitRecord(
                    change.of(Deliveries.records(7, 42, 1, 1).get(0)), output, progress))
        .as("is not blamed on the schema")
        .isSameAs(behind);
    assertThat(errors.getCount()).isEqualTo(1);
  }

  /** Rows 1 and 2 were read at position 42, that there is no other at 44. */
  @Test
  void changes_that_a_row_has_are_left_out_and_all_others_come_also_after_a_restore()
      throws IOException {
    ChannelFigures figures = new ChannelFigures(context.metricGroup(), new ManualClock());
    TunnelRecordEmitter<String> emitter = new TunnelRecordEmitter<>(new Values(), figures);
    Output output = new Output();
    SplitProgress progress =
        new SplitProgress(
            new TunnelSplitState(TunnelSplit.rowsAndChanges(7, 40)),
            new ChannelFigures.Figures(40));
    FetchedRecord row = new FetchedRecord(ChannelType.BaseData, at(42, 6));
    for (StreamRecord record : Deliveries.records(7, 1, 2, 0)) {
      emitter.emitRecord(row.of(record), output, progress);
    }
    emitter.emitRecord(new FetchedRecord(ChannelType.BaseData, at(44, 6)), output, progress);
    output.emitted.clear();
    FetchedRecord change =
        new FetchedRecord(ChannelType.Stream, new SeenIn(Optional.empty(), Optional.of(8L)));
    long[] keys = {1, 60, 2, 61, 62};
    for (int i = 0; i < keys.length; i++) {
      if (i == 1) {
        TunnelSplit kept = progress.state().toSplit();
        assertThat(kept.position()).isEqualTo(41);
        progress = new SplitProgress(new TunnelSplitState(kept), new ChannelFigures.Figures(41));
      }
      emitter.emitRecord(change.of(Deliveries.change(7, 41 + i, keys[i])), output, progress);
    }
    assertThat(output.emitted)
        .as("1 at 41 is in its row, 60 at 42 and 61 at 44 are gone again")
        .containsExactly(new Emitted("v2", 0), new Emitted("v62", 0));
    assertThat(progress.state().toSplit())
        .as("nothing more has to be known of the rows")
        .isEqualTo(TunnelSplit.changes(7, 45).withWhole(true).in(Optional.of(8L)));
  }

  private static SeenIn at(long rowsAt, long incarnation) {
    return new SeenIn(Optional.of(rowsAt), Optional.of(incarnation));
  }

  @Test
  void rows_of_a_service_that_does_not_say_what_they_have_are_refused() {
    TunnelSplitState state = new TunnelSplitState(TunnelSplit.rowsAndChanges(7, 40));
    StreamRecord row = Deliveries.records(7, 1, 1, 0).get(0);
    assertThatThrownBy(() -> state.emitted(row, ChannelType.BaseData, SeenIn.NOTHING))
        .hasMessageContaining("does not say which changes the rows of partition 7 have");
    assertThatThrownBy(() -> state.emitted(row, ChannelType.BaseData, at(39, 6)))
        .hasMessageContaining("read at position 39, before 40");
  }
}
