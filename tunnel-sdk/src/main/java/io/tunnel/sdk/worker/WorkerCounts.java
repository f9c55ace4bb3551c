package io.tunnel.sdk.worker;

import io.tunnel.sdk.TunnelWorkerStatus.Counters;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of a worker since its start. The worker's thread counts; any thread reads. */
final class WorkerCounts {

  private final SdkMeter meter;
  private final String tunnelId;
  private final AtomicLong sessions = new AtomicLong();
  private final AtomicLong fenced = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong checkpoints = new AtomicLong();
  private final AtomicLong retries = new AtomicLong();
  private final AtomicLong skipped = new AtomicLong();

  WorkerCounts(SdkMeter meter, String tunnelId) {
    this.meter = meter;
    this.tunnelId = tunnelId;
  }

  void sessionOpened() {
    sessions.incrementAndGet();
    meter.sessionOpened(tunnelId);
  }

  void channelFenced() {
    fenced.incrementAndGet();
  }

  void channelStopped() {
    failed.incrementAndGet();
    meter.stopped(tunnelId);
  }

  void checkpointStored(long nanos) {
    checkpoints.incrementAndGet();
    meter.checkpointed(tunnelId, nanos);
  }

  void retried() {
    retries.incrementAndGet();
    meter.retried(tunnelId);
  }

  void changeSkipped() {
    skipped.incrementAndGet();
    meter.skipped(tunnelId);
  }

  void sessionLost() {
    meter.sessionLost(tunnelId);
  }

  void held(int channels) {
    meter.channelsHeld(tunnelId, channels);
  }

  /** A processor was called; for any thread. */
  void called(long nanos) {
    meter.called(tunnelId, nanos);
  }

  void failed() {
    meter.failed(tunnelId);
  }

  void processed(ProcessRecordsInput input) {
    meter.processed(
        tunnelId, input.getRecords().size(), input.byteCount(), input.lastCommitMicros());
  }

  /** True after the first session. */
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
