package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.util.Map;
import java.util.Optional;

/**
 * Numbers of one store that only grow, so that no id is given twice.
 *
 * @param tables the highest id of a table so far
 * @param partitions the highest id of a partition so far
 * @param starts number of openings of the store's tunnels
 */
record Counters(int tables, int partitions, long starts) {

  /** The name of their text. */
  static final String NAME = "counters";

  private static final Counters NONE = new Counters(0, 0, 0);

  /** The counters among {@code texts}. */
  static Counters in(Map<String, String> texts) {
    String text = texts.get(NAME);
    return text == null ? NONE : StoredText.whole(NAME, text, Counters.class);
  }

  /** Whether it has counted every table and partition that {@code others} has counted. */
  boolean covers(Counters others) {
    return tables >= others.tables && partitions >= others.partitions;
  }

  Counters withOneMoreStart() {
    return new Counters(tables, partitions, starts + 1);
  }

  /** Counters that have counted so many more. */
  Counters raised(int moreTables, int morePartitions, long moreStarts) {
    return new Counters(
        Math.addExact(tables, moreTables),
        Math.addExact(partitions, morePartitions),
        Math.addExact(starts, moreStarts));
  }

  /** The change that stores these counters. */
  Map<String, Optional<String>> change() {
    return Map.of(NAME, Optional.of(Json.toText(this)));
  }
}
