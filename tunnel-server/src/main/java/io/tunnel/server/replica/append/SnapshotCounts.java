package io.tunnel.server.replica.append;

import io.tunnel.server.replica.SnapshotFigures;
import java.util.concurrent.TimeUnit;

/** What has happened to snapshots since the start. For one thread. */
final class SnapshotCounts {

  private long taken;
  private long takenBytes;
  private long failed;
  private long verified;
  private long damaged;
  private long trims;
  private long refused;

  void taken(long bytes) {
    taken++;
    takenBytes += bytes;
  }

  void failed() {
    failed++;
  }

  void verified() {
    verified++;
  }

  void damaged() {
    damaged++;
  }

  void trimmed() {
    trims++;
  }

  void refused() {
    refused++;
  }

  /**
   * All figures.
   *
   * @param damagedAtStarts how often a start of a replica has found a snapshot damaged
   */
  SnapshotFigures figures(SnapshotsCore core, long damagedAtStarts, long nowNanos) {
    return new SnapshotFigures(
        taken,
        takenBytes,
        failed,
        verified,
        damaged + damagedAtStarts,
        trims,
        refused,
        TimeUnit.NANOSECONDS.toMillis(core.ageNanos(nowNanos)),
        core.logBytes(),
        core.isOutrun());
  }
}
