package io.tunnel.flink.perf;

import java.util.TreeMap;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts what one reader reads, in windows of commit times, where it is read: rows do not cross the
 * network, counts do. What was counted is told once a second, when a window is complete, and in
 * front of each checkpoint's barrier; so there is no state, and nothing is counted twice or lost.
 */
final class LocalWindows extends AbstractStreamOperator<LocalCounts>
    implements OneInputStreamOperator<Seen, LocalCounts> {

  private static final long serialVersionUID = 1L;
  private static final long TELL_MS = 1_000;

  /** Changes of long ago may be of any number of windows. */
  private static final int WINDOWS_MAX = 100;

  private final long intervalMs;
  private final JobClock clock;
  private transient TreeMap<Long, OpenWindow> windows;
  private transient OpenWindow last;
  private transient long cpuNanosAtStart;

  LocalWindows(long intervalMs, JobClock clock) {
    this.intervalMs = intervalMs;
    this.clock = clock;
  }

  @Override
  public void open() throws Exception {
    super.open();
    windows = new TreeMap<>();
    cpuNanosAtStart = clock.cpuNanos();
    tellLater();
  }

  private void tellLater() {
    var unused =
        getProcessingTimeService()
            .registerTimer(
                getProcessingTimeService().getCurrentProcessingTime() + TELL_MS,
                time -> {
                  tell();
                  tellLater();
                });
  }

  @Override
  public void processElement(StreamRecord<Seen> record) {
    Seen seen = record.getValue();
    long nowMicros = clock.epochMicros();
    long commitMs = Math.floorDiv(seen.commitMicros, 1_000L);
    long startMs = commitMs - Math.floorMod(commitMs, intervalMs);
    if (last == null || last.startMs() != startMs) {
      if (windows.size() >= WINDOWS_MAX) {
        tell();
      }
      last = windows.computeIfAbsent(startMs, start -> new OpenWindow(start, nowMicros));
    }
    last.count(seen, nowMicros);
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    if (!windows.isEmpty() && windows.firstKey() + intervalMs <= mark.getTimestamp()) {
      tell();
    }
    super.processWatermark(mark);
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    tell();
    super.prepareSnapshotPreBarrier(checkpointId);
  }

  @Override
  public void finish() throws Exception {
    tell();
    super.finish();
  }

  private void tell() {
    long cpuNanos = clock.cpuNanos() - cpuNanosAtStart;
    for (OpenWindow window : windows.values()) {
      LocalCounts told = new LocalCounts();
      told.counts = window.counts();
      told.process = clock.process();
      told.cpuNanos = cpuNanos;
      told.heapUsedBytes = clock.heapUsedBytes();
      output.collect(new StreamRecord<>(told));
    }
    windows.clear();
    last = null;
  }
}
