package io.tunnel.model;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Options of a table.
 *
 * @param durability the failures that an acknowledged write survives
 * @param retentionMs how long changes are kept at least, in milliseconds; 0 for ever
 * @param retentionBytes how many bytes of changes are kept at least; 0 for no limit
 * @param ttlMs how long a row lives after its last write, in milliseconds; empty for ever. A table
 *     has a time to live from its creation on, or never. Empty, the member is not written, so
 *     builds without it read the options
 */
public record TableOptions(
    Durability durability, long retentionMs, long retentionBytes, Optional<Long> ttlMs) {

  /** The shortest time to live. */
  public static final long TTL_MS_MIN = 1_000;

  /** The longest time to live: 100 years. */
  public static final long TTL_MS_MAX = 36_525L * 24 * 3_600_000;

  /** The default options: {@link Durability#FSYNC}, changes are kept for ever. */
  public static final TableOptions DEFAULT = new TableOptions(Durability.FSYNC);

  /** Refuses null, retention under 0, and a time to live under a second or over 100 years. */
  public TableOptions {
    Objects.requireNonNull(durability, "durability (FSYNC or OS)");
    if (retentionMs < 0 || retentionBytes < 0) {
      throw new IllegalArgumentException(
          "retentionMs and retentionBytes are at least 0 (keep for ever), not "
              + retentionMs
              + " and "
              + retentionBytes);
    }
    ttlMs = ttlMs == null ? Optional.empty() : ttlMs;
    if (ttlMs.isPresent() && (ttlMs.get() < TTL_MS_MIN || ttlMs.get() > TTL_MS_MAX)) {
      throw new IllegalArgumentException(
          "ttlMs is "
              + TTL_MS_MIN
              + " (a second) to "
              + TTL_MS_MAX
              + " (100 years), or absent (rows live for ever), not "
              + ttlMs.get());
    }
  }

  /** Options of a table whose rows live for ever. */
  public TableOptions(Durability durability, long retentionMs, long retentionBytes) {
    this(durability, retentionMs, retentionBytes, Optional.empty());
  }

  /** Options of a table that keeps its changes for ever. */
  public TableOptions(Durability durability) {
    this(durability, 0, 0);
  }

  /**
   * Whether rows live shorter, or changes may be deleted earlier, by time or by size, than with
   * {@code before}.
   */
  public boolean keepsLessThan(TableOptions before) {
    return isLess(retentionMs, before.retentionMs)
        || isLess(retentionBytes, before.retentionBytes)
        || isLess(ttlMs.orElse(0L), before.ttlMs.orElse(0L));
  }

  /** Whether a limit, of which 0 is none, is less than another. */
  private static boolean isLess(long limit, long before) {
    return limit > 0 && (before == 0 || limit < before);
  }

  /** A copy with another durability. */
  public TableOptions withDurability(Durability level) {
    return new TableOptions(level, retentionMs, retentionBytes, ttlMs);
  }

  /** A copy with another least time to keep changes; zero for ever. */
  public TableOptions withRetention(Duration time) {
    // A duration too long for milliseconds becomes the longest.
    return new TableOptions(durability, TimeUnit.MILLISECONDS.convert(time), retentionBytes, ttlMs);
  }

  /** A copy with another least number of bytes of changes; 0 for no limit. */
  public TableOptions withRetentionBytes(long bytes) {
    return new TableOptions(durability, retentionMs, bytes, ttlMs);
  }

  /**
   * A copy with another time to live of rows after their last write, in whole milliseconds; zero
   * for ever.
   */
  public TableOptions withTtl(Duration time) {
    return new TableOptions(
        durability,
        retentionMs,
        retentionBytes,
        time.isZero() ? Optional.empty() : Optional.of(TimeUnit.MILLISECONDS.convert(time)));
  }
}
