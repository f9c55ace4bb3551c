package io.tunnel.sdk.worker;

import io.tunnel.sdk.TunnelWorkerStatus.Counters;
import java.util.concurrent.atomic.AtomicLong;

/** What has happened since a worker started. Counted on its thread, read by any. */
final class WorkerCounts {

  private final AtomicLong sessions = new AtomicLong();
  private final AtomicLong fenced = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong checkpoints = new AtomicLong();
  private final AtomicLong retries = new AtomicLong();
  private final AtomicLong skipped = new AtomicLong();

  void sessionOpened() {
    sessions.incrementAndGet();
  }

  void channelFenced() {
    fenced.incrementAndGet();
  }

  void channelStopped() {
    failed.incrementAndGet();
  }

  void checkpointStored() {
    checkpoints.incrementAndGet();
  }

  void retried() {
    retries.incrementAndGet();
  }

  void changeSkipped() {
    skipped.incrementAndGet();
  }

  /** Whether there was a session. */
  boolean hasWorked() {
    return sessions.get() > 0;
  }

  Counters now() {
    return new Counters(
        sessions.get(),
        fenced.get(),
        failed.get(),
        checkpoints.get(),
        retries.get(),
        skipped.get());
  }
}
