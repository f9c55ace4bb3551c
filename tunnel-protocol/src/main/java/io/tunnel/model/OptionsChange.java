package io.tunnel.model;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * New values of some options of a table. An absent option keeps the value that the table has when
 * the server makes the change, so two operators who change different options do not undo each
 * other's change.
 *
 * @param durability the failures that an acknowledged write survives
 * @param retentionMs how long changes are kept at least, in milliseconds; 0 for ever
 * @param retentionBytes how many bytes of changes are kept at least; 0 for no limit
 * @param ttlMs how long a row lives after its last write, in milliseconds; 0 for ever
 */
public record OptionsChange(
    Optional<Durability> durability,
    Optional<Long> retentionMs,
    Optional<Long> retentionBytes,
    Optional<Long> ttlMs) {

  /** Reads null as absent, and refuses the values that {@link TableOptions} refuses. */
  public OptionsChange {
    durability = durability == null ? Optional.empty() : durability;
    retentionMs = retentionMs == null ? Optional.empty() : retentionMs;
    retentionBytes = retentionBytes == null ? Optional.empty() : retentionBytes;
    ttlMs = ttlMs == null ? Optional.empty() : ttlMs;
    var unused =
        new TableOptions(
            Durability.FSYNC, retentionMs.orElse(0L), retentionBytes.orElse(0L), lived(ttlMs));
  }

  /** Changes nothing. */
  public OptionsChange() {
    this(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  private static Optional<Long> lived(Optional<Long> ttlMs) {
    return ttlMs.filter(ms -> ms != 0);
  }

  /** Whether no option is named. */
  public boolean isEmpty() {
    return durability.isEmpty()
        && retentionMs.isEmpty()
        && retentionBytes.isEmpty()
        && ttlMs.isEmpty();
  }

  /** A copy that also changes the durability. */
  public OptionsChange withDurability(Durability level) {
    return new OptionsChange(
        Optional.of(Objects.requireNonNull(level, "level")), retentionMs, retentionBytes, ttlMs);
  }

  /** A copy that also changes the least time to keep changes; zero for ever. */
  public OptionsChange withRetention(Duration time) {
    // A duration too long for milliseconds becomes the longest.
    long ms = TimeUnit.MILLISECONDS.convert(time);
    return new OptionsChange(durability, Optional.of(ms), retentionBytes, ttlMs);
  }

  /** A copy that also changes the least number of bytes of changes to keep; 0 for no limit. */
  public OptionsChange withRetentionBytes(long bytes) {
    return new OptionsChange(durability, retentionMs, Optional.of(bytes), ttlMs);
  }

  /**
   * A copy that also changes the time to live of rows after their last write, in whole
   * milliseconds; zero for ever.
   */
  public OptionsChange withTtl(Duration time) {
    long ms = TimeUnit.MILLISECONDS.convert(time);
    return new OptionsChange(durability, retentionMs, retentionBytes, Optional.of(ms));
  }

  /** The options {@code now} with the named ones replaced. */
  public TableOptions over(TableOptions now) {
    return new TableOptions(
        durability.orElse(now.durability()),
        retentionMs.orElse(now.retentionMs()),
        retentionBytes.orElse(now.retentionBytes()),
        ttlMs.isPresent() ? lived(ttlMs) : now.ttlMs());
  }

  /** The named options alone, such as {@code ttlMs=1000}. */
  @Override
  public String toString() {
    return Stream.of(
            durability.map(level -> "durability=" + level),
            retentionMs.map(ms -> "retentionMs=" + ms),
            retentionBytes.map(bytes -> "retentionBytes=" + bytes),
            ttlMs.map(ms -> "ttlMs=" + ms))
        .flatMap(Optional::stream)
        .collect(Collectors.joining(", "));
  }
}
