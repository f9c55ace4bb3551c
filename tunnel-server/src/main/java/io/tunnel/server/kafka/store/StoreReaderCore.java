package io.tunnel.server.kafka.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Groups records by transaction again. The records of a transaction have consecutive offsets,
 * followed by one offset without a record: the transaction's end. So a gap in the offsets ends a
 * transaction. Compaction makes more gaps; it parts only transactions with an outdated record, and
 * these are read by readers that start at the beginning and need all records anyway.
 */
final class StoreReaderCore {

  private Map<String, Optional<String>> open = new LinkedHashMap<>();
  private long openFrom = -1;
  private long next;

  /** A record of the log. */
  record Read(long offset, String name, Optional<String> text) {}

  /**
   * Takes records in order.
   *
   * @param position the offset to read next; there is no record between the last of {@code records}
   *     and this offset
   * @return the transactions that are complete now, in order
   */
  List<Map<String, Optional<String>>> read(List<Read> records, long position) {
    List<Map<String, Optional<String>>> whole = new ArrayList<>();
    for (Read record : records) {
      if (record.offset() != next) {
        end(whole);
      }
      if (open.isEmpty()) {
        openFrom = record.offset();
      }
      open.put(record.name(), record.text());
      next = record.offset() + 1;
    }
    if (position > next) {
      end(whole);
      next = position;
    }
    return whole;
  }

  private void end(List<Map<String, Optional<String>>> whole) {
    if (!open.isEmpty()) {
      whole.add(open);
      open = new LinkedHashMap<>();
    }
  }

  /** Whether everything below that number was given out. */
  boolean hasRead(long end) {
    return open.isEmpty() ? next >= end : openFrom >= end;
  }
}
