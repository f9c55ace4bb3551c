package io.tunnel.server.table;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * The expiry of the rows of each partition, as the catalog has it at the time of the question, and
 * the longest that any caller ever received. Safe for use by any thread.
 */
public final class Expiries implements IntFunction<Expiry> {

  /** Of stores of which no row expires. */
  public static final Expiries NONE = new Expiries(partition -> Expiry.NEVER);

  private final IntFunction<Expiry> catalog;
  private final Map<Integer, Expiry> longest = new ConcurrentHashMap<>();

  /** Expiry as {@code catalog} has it now. */
  public Expiries(IntFunction<Expiry> catalog) {
    this.catalog = catalog;
  }

  @Override
  public Expiry apply(int partition) {
    Expiry now = catalog.apply(partition);
    if (now.isOn()) {
      longest.merge(
          partition, now, (one, other) -> one.ttlMicros() >= other.ttlMicros() ? one : other);
    }
    return now;
  }

  /**
   * The longest that this object was ever asked for: no entry of the index that a fold made since
   * the start is further before the commit time of its row.
   */
  public Expiry longest(int partition) {
    return longest.getOrDefault(partition, Expiry.NEVER);
  }

  /** A partition is gone. */
  public void drop(int partition) {
    longest.remove(partition);
  }

  /** The expiry of each partition as it is now, whatever the catalog has later. */
  public IntFunction<Expiry> now() {
    Map<Integer, Expiry> now = new HashMap<>();
    longest.keySet().forEach(partition -> now.put(partition, catalog.apply(partition)));
    return partition -> now.containsKey(partition) ? now.get(partition) : apply(partition);
  }
}
