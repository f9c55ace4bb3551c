package io.tunnel.flink.perf;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up the counts of all readers, in one task. This class is the Flink shell of {@link
 * WindowsCore}.
 */
final class TotalWindows extends AbstractStreamOperator<WindowCounts>
    implements OneInputStreamOperator<LocalCounts, WindowCounts> {

  private static final long serialVersionUID = 1L;
  static final long LOOK_MS = 1_000;

  /** Longer than readers are silent while there is something to read. */
  static final long QUIET_MS = 3_000;

  private final long intervalMs;
  private transient ListState<WindowCounts> open;
  private transient ListState<Long> completeUpToMs;
  private transient WindowsCore core;
  private transient long watermarkMs;
  private transient boolean isStartTold;

  TotalWindows(long intervalMs) {
    this.intervalMs = intervalMs;
  }

  @Override
  public void initializeState(StateInitializationContext state) throws Exception {
    super.initializeState(state);
    open =
        state
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("open-windows", WindowCounts.class));
    completeUpToMs =
        state
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("complete-up-to-ms", Long.class));
    WindowsCore.State earlier = WindowsCore.State.NEW;
    for (long upTo : completeUpToMs.get()) {
      List<WindowCounts> windows = new ArrayList<>();
      open.get().forEach(windows::add);
      earlier = new WindowsCore.State(windows, upTo);
    }
    core = new WindowsCore(intervalMs, QUIET_MS, earlier, nowMs());
  }

  @Override
  public void snapshotState(StateSnapshotContext snapshot) throws Exception {
    super.snapshotState(snapshot);
    WindowsCore.State state = core.state();
    open.update(state.open());
    completeUpToMs.update(List.of(state.completeUpToMs()));
  }

  @Override
  public void open() throws Exception {
    super.open();
    watermarkMs = Long.MIN_VALUE;
    lookLater();
  }

  private void lookLater() {
    var unused =
        getProcessingTimeService()
            .registerTimer(
                nowMs() + LOOK_MS,
                time -> {
                  if (!isStartTold) {
                    isStartTold = true;
                    output.collect(new StreamRecord<>(WindowCounts.started()));
                  }
                  giveComplete();
                  lookLater();
                });
  }

  /** Partitions that are idle do not hear of the end of time. */
  @Override
  public void finish() throws Exception {
    watermarkMs = Long.MAX_VALUE;
    giveComplete();
    super.finish();
  }

  @Override
  public void processElement(StreamRecord<LocalCounts> told) {
    core.add(told.getValue(), nowMs());
    giveComplete();
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    watermarkMs = mark.getTimestamp();
    giveComplete();
    super.processWatermark(mark);
  }

  private void giveComplete() {
    for (WindowCounts window : core.complete(watermarkMs, nowMs())) {
      output.collect(new StreamRecord<>(window));
    }
  }

  private long nowMs() {
    return getProcessingTimeService().getCurrentProcessingTime();
  }
}
