package io.tunnel.server.table;

import io.tunnel.model.TableMeta;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * When the rows of a partition expire: so long after the commit time of their last write. All of a
 * table's rows share one time to live, so no row stores a time of its own.
 *
 * @param ttlMicros the time to live; 0 for ever
 */
public record Expiry(long ttlMicros) {

  /** Rows live for ever. */
  public static final Expiry NEVER = new Expiry(0);

  /** A time to live has so many spans of {@link #indexMicros} at least. */
  private static final int SPANS_MIN = 64;

  /** Refuses times under 0. */
  public Expiry {
    if (ttlMicros < 0) {
      throw new IllegalArgumentException("a time to live of " + ttlMicros + " us");
    }
  }

  /** A time to live in milliseconds. */
  public static Expiry ofMillis(long ttlMs) {
    return ttlMs == 0 ? NEVER : new Expiry(TimeUnit.MILLISECONDS.toMicros(ttlMs));
  }

  /** Of the rows of a table, if there is one. */
  public static Expiry of(Optional<TableMeta> table) {
    return table.flatMap(of -> of.options().ttlMs()).map(Expiry::ofMillis).orElse(NEVER);
  }

  /** Whether rows expire. */
  public boolean isOn() {
    return ttlMicros > 0;
  }

  /** Whether a row that was committed then has expired at a time. */
  public boolean isOver(long commitMicros, long momentMicros) {
    return isOn() && momentMicros - commitMicros >= ttlMicros;
  }

  /** The last commit time of rows that have expired at a time; -1 when no row can have. */
  public long overUntilMicros(long momentMicros) {
    return isOn() ? Math.max(-1, momentMicros - ttlMicros) : -1;
  }

  /**
   * The time under which a fold indexes a row: the begin of the span of its commit time. So a row
   * that is written again and again has a few entries for each time to live, and not one for each
   * write.
   */
  public long indexMicros(long commitMicros) {
    return commitMicros & -spanMicros();
  }

  /** How far {@link #indexMicros} may be before its commit time. */
  public long spanMicros() {
    return Math.max(1, Long.highestOneBit(ttlMicros / SPANS_MIN));
  }
}
