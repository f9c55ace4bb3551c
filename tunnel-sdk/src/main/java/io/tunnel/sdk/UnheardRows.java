package io.tunnel.sdk;

import io.tunnel.model.RowChange;
import java.util.Optional;

/**
 * Rows of a writer that were not applied, and of which perhaps nobody has heard: their futures may
 * have been dropped. Thread-safe.
 */
final class UnheardRows {

  private final String table;

  // Guarded by this.
  private long count;
  private String first = "";

  UnheardRows(String table) {
    this.table = table;
  }

  synchronized void add(RowChange row, RowResult result) {
    if (count == 0) {
      first = WriteFailedException.text(row, result);
    }
    count++;
  }

  synchronized long count() {
    return count;
  }

  /** What to tell people; empty when there is nothing. */
  synchronized Optional<String> text() {
    return count == 0
        ? Optional.empty()
        : Optional.of(
            "%d %s of table '%s' not applied, and nothing depended on the future that said so: %s%s"
                .formatted(
                    count,
                    count == 1 ? "row" : "rows",
                    table,
                    count == 1 ? "" : "the first is ",
                    first));
  }
}
