package io.tunnel.server.changes;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last known bounds of a shared log's partitions, which all groups of tunnels update and read,
 * and when this node first saw the log reach a position. Logs only grow, so a known end is never
 * beyond the real one. Safe for use by any thread.
 */
public final class KnownBounds {

  private final Map<Integer, Known> knownByPartition = new ConcurrentHashMap<>();

  /** What is known of a partition; the map's lock of the partition guards {@code sightings}. */
  private record Known(Bounds bounds, SightingsCore sightings) {}

  /** Knows no bounds yet. */
  public KnownBounds() {}

  /**
   * Notes an answer of the log. Answers may overtake each other; the one with the higher end is
   * newer.
   *
   * @param nowMicros this node's time after the answer, in microseconds since 1970
   */
  public void saw(int partition, Bounds bounds, long nowMicros) {
    knownByPartition.compute(
        partition,
        (id, former) -> {
          SightingsCore sightings = former == null ? new SightingsCore() : former.sightings();
          sightings.saw(bounds.last(), nowMicros);
          return former != null && former.bounds().last() > bounds.last()
              ? former
              : new Known(bounds, sightings);
        });
  }

  /** Last known end of a partition; 0 when unknown. */
  public long last(int partition) {
    Known known = knownByPartition.get(partition);
    return known == null ? 0 : known.bounds().last();
  }

  /** Last known position from which on all changes are kept; 0 when unknown. */
  public long first(int partition) {
    Known known = knownByPartition.get(partition);
    return known == null ? 0 : known.bounds().first();
  }

  /**
   * A time at or after the commit of the record at {@code position}, in microseconds since 1970;
   * {@link LogFigures#UNKNOWN} when no answer of the log reached the position. For a record that
   * was committed while this node looked, the time is right to a second or a fifth of the record's
   * age; for an older record, the time of the first look.
   */
  public long committedBy(int partition, long position) {
    long[] found = {LogFigures.UNKNOWN};
    knownByPartition.computeIfPresent(
        partition,
        (id, known) -> {
          found[0] = known.sightings().committedBy(position);
          return known;
        });
    return found[0];
  }

  /** Drops the bounds of a dropped partition. */
  public void forget(int partition) {
    knownByPartition.remove(partition);
  }
}
