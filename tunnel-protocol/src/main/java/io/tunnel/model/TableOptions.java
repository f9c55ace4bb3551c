package io.tunnel.model;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Options of a table.
 *
 * @param durability the failures that an acknowledged write survives
 * @param retentionMs how long changes are kept at least, in milliseconds; 0 for ever
 * @param retentionBytes how many bytes of changes are kept at least; 0 for no limit
 */
public record TableOptions(Durability durability, long retentionMs, long retentionBytes) {

  /** The default options: {@link Durability#FSYNC}, changes are kept for ever. */
  public static final TableOptions DEFAULT = new TableOptions(Durability.FSYNC);

  /** Refuses null, and retention under 0. */
  public TableOptions {
    Objects.requireNonNull(durability, "durability (FSYNC or OS)");
    if (retentionMs < 0 || retentionBytes < 0) {
      throw new IllegalArgumentException(
          "retentionMs and retentionBytes are at least 0 (keep for ever), not "
              + retentionMs
              + " and "
              + retentionBytes);
    }
  }

  /** Options of a table that keeps its changes for ever. */
  public TableOptions(Durability durability) {
    this(durability, 0, 0);
  }

  /** A copy with another durability. */
  public TableOptions withDurability(Durability level) {
    return new TableOptions(level, retentionMs, retentionBytes);
  }

  /** A copy with another least time to keep changes; zero for ever. */
  public TableOptions withRetention(Duration time) {
    // A duration too long for milliseconds becomes the longest.
    return new TableOptions(durability, TimeUnit.MILLISECONDS.convert(time), retentionBytes);
  }

  /** A copy with another least number of bytes of changes; 0 for no limit. */
  public TableOptions withRetentionBytes(long bytes) {
    return new TableOptions(durability, retentionMs, bytes);
  }
}
