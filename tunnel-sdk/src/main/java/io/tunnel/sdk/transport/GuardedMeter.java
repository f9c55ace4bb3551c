package io.tunnel.sdk.transport;

import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.metrics.SdkMeter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps a user's meter and catches its exceptions and errors: the calls come in the midst of
 * sending and answering, where an exception would leave rows without an outcome. Logs the first
 * one.
 */
public final class GuardedMeter implements SdkMeter {

  private static final Logger LOGGER = LoggerFactory.getLogger(GuardedMeter.class);

  private final SdkMeter meter;
  private final AtomicBoolean hasThrown = new AtomicBoolean();

  private GuardedMeter(SdkMeter meter) {
    this.meter = Objects.requireNonNull(meter, "meter");
  }

  /** Guards {@code meter}, unless it is guarded already. */
  public static SdkMeter of(SdkMeter meter) {
    return meter instanceof GuardedMeter || meter == SdkMeter.NONE
        ? meter
        : new GuardedMeter(meter);
  }

  private void guarded(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      if (hasThrown.compareAndSet(false, true)) {
        LOGGER.warn("the meter {} failed; its figures are incomplete from now on", meter, e);
      }
    }
  }

  /** Two guards of one meter are equal, so that configurations with this meter are equal. */
  @Override
  public boolean equals(Object other) {
    return other instanceof GuardedMeter guard && guard.meter.equals(meter);
  }

  @Override
  public int hashCode() {
    return meter.hashCode();
  }

  @Override
  public String toString() {
    return meter.toString();
  }

  @Override
  public void connected() {
    guarded(meter::connected);
  }

  @Override
  public void connectFailed() {
    guarded(meter::connectFailed);
  }

  @Override
  public void batchSent(int rows, long bytes) {
    guarded(() -> meter.batchSent(rows, bytes));
  }

  @Override
  public void batchOver(long nanos) {
    guarded(() -> meter.batchOver(nanos));
  }

  @Override
  public void rows(Outcome outcome, int count) {
    guarded(() -> meter.rows(outcome, count));
  }

  @Override
  public void sessionOpened(String tunnelId) {
    guarded(() -> meter.sessionOpened(tunnelId));
  }

  @Override
  public void sessionLost(String tunnelId) {
    guarded(() -> meter.sessionLost(tunnelId));
  }

  @Override
  public void channelsHeld(String tunnelId, int channels) {
    guarded(() -> meter.channelsHeld(tunnelId, channels));
  }

  @Override
  public void called(String tunnelId, long nanos) {
    guarded(() -> meter.called(tunnelId, nanos));
  }

  @Override
  public void processed(String tunnelId, int changes, long bytes, long committedMicros) {
    guarded(() -> meter.processed(tunnelId, changes, bytes, committedMicros));
  }

  @Override
  public void failed(String tunnelId) {
    guarded(() -> meter.failed(tunnelId));
  }

  @Override
  public void retried(String tunnelId) {
    guarded(() -> meter.retried(tunnelId));
  }

  @Override
  public void skipped(String tunnelId) {
    guarded(() -> meter.skipped(tunnelId));
  }

  @Override
  public void stopped(String tunnelId) {
    guarded(() -> meter.stopped(tunnelId));
  }

  @Override
  public void checkpointed(String tunnelId, long nanos) {
    guarded(() -> meter.checkpointed(tunnelId, nanos));
  }
}
