package io.tunnel.flink.source;

import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Sees what a job's source emits, for the test in whose process the job runs, and lets it through
 * when the test says so. One job at a time.
 */
final class Watched extends AbstractStreamOperator<String>
    implements OneInputStreamOperator<String, String> {

  private static final long serialVersionUID = 1L;

  private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();
  private static final AtomicLong WATERMARK = new AtomicLong(Long.MIN_VALUE);
  private static final int OPEN = 1 << 30;
  private static final Semaphore GATE = new Semaphore(OPEN);

  /** Forgets what was seen; the gate is open. */
  static void reset() {
    SEEN.clear();
    WATERMARK.set(Long.MIN_VALUE);
    openGate();
  }

  /** Elements wait. */
  static void shutGate() {
    GATE.drainPermits();
  }

  /** Elements pass. */
  static void openGate() {
    GATE.drainPermits();
    GATE.release(OPEN);
  }

  /** What passed, in order. */
  static List<String> seen() {
    return Collections.unmodifiableList(List.copyOf(SEEN));
  }

  /** The newest watermark. */
  static long watermark() {
    return WATERMARK.get();
  }

  @Override
  public void processElement(StreamRecord<String> element) throws InterruptedException {
    GATE.acquire();
    SEEN.add(element.getValue());
  }

  @Override
  public void processWatermark(Watermark mark) {
    // The end of a job is none of its rows'.
    if (mark.getTimestamp() < Long.MAX_VALUE) {
      WATERMARK.set(mark.getTimestamp());
    }
  }
}
