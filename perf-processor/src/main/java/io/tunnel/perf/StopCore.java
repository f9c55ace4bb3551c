package io.tunnel.perf;

import java.util.Optional;
import java.util.OptionalLong;

/** Decides when a run has consumed enough. Used by one thread. */
final class StopCore {

  /** Why a run ended to which nothing came for long enough. */
  static final String IDLE = "idle";

  private final OptionalLong rowsMax;
  private final OptionalLong durationNanos;
  private final OptionalLong idleNanos;
  private final long startNanos;
  private long lastRows;
  private long lastProgressNanos;

  /**
   * A run that starts now.
   *
   * @param rowsMax rows after which it ends
   * @param durationNanos time after which it ends
   * @param idleNanos time without a row after which it ends; also before the first row
   */
  StopCore(
      long startNanos, OptionalLong rowsMax, OptionalLong durationNanos, OptionalLong idleNanos) {
    this.startNanos = startNanos;
    this.lastProgressNanos = startNanos;
    this.rowsMax = rowsMax;
    this.durationNanos = durationNanos;
    this.idleNanos = idleNanos;
  }

  /** Why the run ends now, in a word; empty while it does not. */
  Optional<String> reason(long nowNanos, long rows) {
    if (rows > lastRows) {
      lastRows = rows;
      lastProgressNanos = nowNanos;
    }
    if (rowsMax.isPresent() && rows >= rowsMax.getAsLong()) {
      return Optional.of("rows");
    }
    if (durationNanos.isPresent() && nowNanos - startNanos >= durationNanos.getAsLong()) {
      return Optional.of("duration");
    }
    if (idleNanos.isPresent() && nowNanos - lastProgressNanos >= idleNanos.getAsLong()) {
      return Optional.of(IDLE);
    }
    return Optional.empty();
  }
}
