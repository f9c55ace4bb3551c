package io.tunnel.model;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Options of a table.
 *
 * @param durability what an acknowledged write survives
 * @param retentionMs how long changes are kept at least, in milliseconds; 0 for ever
 * @param retentionBytes bytes of changes that are kept at least; the oldest beyond them may go; 0
 *     for any number
 */
public record TableOptions(Durability durability, long retentionMs, long retentionBytes) {

  /** What a table has when nothing is said: {@link Durability#FSYNC}, changes are kept for ever. */
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

  /** A copy with that durability. */
  public TableOptions withDurability(Durability level) {
    return new TableOptions(level, retentionMs, retentionBytes);
  }

  /** A copy whose changes are kept that long at least; zero for ever. */
  public TableOptions withRetention(Duration time) {
    // What is too long for a number of milliseconds becomes the largest.
    return new TableOptions(durability, TimeUnit.MILLISECONDS.convert(time), retentionBytes);
  }

  /** A copy that keeps at least so many bytes of changes; 0 for any number. */
  public TableOptions withRetentionBytes(long bytes) {
    return new TableOptions(durability, retentionMs, bytes);
  }
}
