package io.tunnel.server.kafka.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts records back together into what was written together. A transaction's records have rising
 * numbers without holes, and behind them is one number that is nobody's: that of its end. So where
 * there is a hole, something ended. Compaction makes more holes; what it parts is older than the
 * last record of some key, and is read by those who begin at the beginning and want it all.
 */
final class StoreReaderCore {

  private Map<String, Optional<String>> open = new LinkedHashMap<>();
  private long openFrom = -1;
  private long next;

  /** What is told of the log. */
  record Read(long offset, String name, Optional<String> text) {}

  /**
   * Takes records in their order, and what the log has looked at.
   *
   * @param position the number that is read next: there is no record of others between the last of
   *     {@code records} and it
   * @return what was written together and is read whole, in order
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
