package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Notes of the catalog about table ids that have no table. Changed by one thread, read by any.
 *
 * <ul>
 *   <li>{@code dropped/ID}: the log of a dropped table may still exist. The drop of the table
 *       writes the note, and the deletion of the log removes it.
 *   <li>{@code passed/ID}: the catalog counted the id, but gave it to no table, because another
 *       table's log has that id.
 * </ul>
 */
final class TableIdNotes {

  private static final String DROPPED = "dropped/";
  private static final String PASSED = "passed/";

  private final ConcurrentSkipListMap<String, DroppedLog> dropped = new ConcurrentSkipListMap<>();
  private final Set<String> passed = ConcurrentHashMap.newKeySet();

  /** The change that notes the log of a dropped table. */
  static Map<String, Optional<String>> dropping(TableRecord table) {
    return Map.of(DROPPED + table.tableId(), Optional.of(Json.toText(DroppedLog.of(table))));
  }

  /** The change that removes the note of a dropped table's log. */
  static Map<String, Optional<String>> deleting(DroppedLog log) {
    return Map.of(DROPPED + log.tableId(), Optional.empty());
  }

  /** The changes that note the ids between {@code before} and {@code given} as passed over. */
  static Map<String, Optional<String>> passing(int before, int given) {
    Map<String, Optional<String>> changes = new HashMap<>();
    for (int id = before + 1; id < given; id++) {
      changes.put(PASSED + id, Optional.of("{}"));
    }
    return changes;
  }

  /** Logs of dropped tables that may still exist. */
  List<DroppedLog> droppedLogs() {
    return List.copyOf(dropped.values());
  }

  /** Whether no table ever had this id. */
  boolean isPassed(int tableId) {
    return passed.contains(PASSED + tableId);
  }

  /** Applies stored changes; ignores texts under other names. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(DROPPED)) {
            text.ifPresentOrElse(
                log -> dropped.put(name, StoredText.whole(name, log, DroppedLog.class)),
                () -> dropped.remove(name));
          } else if (name.startsWith(PASSED) && text.isPresent()) {
            passed.add(name);
          }
        });
  }

  /** Replaces all notes with the notes among {@code texts}. */
  void replace(Map<String, String> texts) {
    dropped.keySet().retainAll(texts.keySet());
    passed.retainAll(texts.keySet());
    texts.forEach((name, text) -> apply(Map.of(name, Optional.of(text))));
  }
}
