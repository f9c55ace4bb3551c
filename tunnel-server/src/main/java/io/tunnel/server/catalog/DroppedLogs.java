package io.tunnel.server.catalog;

import io.tunnel.wire.control.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Logs that dropped tables have left, as texts named {@code dropped/ID}: written together with the
 * drop, removed when the log is deleted. Changed by one thread, read by any.
 */
final class DroppedLogs {

  private static final String DROPPED = "dropped/";

  private final ConcurrentSkipListMap<String, DroppedLog> byName = new ConcurrentSkipListMap<>();

  /** What has to be written with the drop of a table. */
  static Map<String, Optional<String>> noting(TableRecord table) {
    return Map.of(DROPPED + table.tableId(), Optional.of(Json.toText(DroppedLog.of(table))));
  }

  /** What has to be removed when the log is deleted. */
  static Map<String, Optional<String>> removal(DroppedLog log) {
    return Map.of(DROPPED + log.tableId(), Optional.empty());
  }

  /** Takes over texts that are stored; those of others are left alone. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(DROPPED)) {
            text.ifPresentOrElse(
                log -> byName.put(name, Json.ofText(log, DroppedLog.class)),
                () -> byName.remove(name));
          }
        });
  }

  /** Takes over everything that is stored. */
  void replace(Map<String, String> texts) {
    byName.keySet().retainAll(texts.keySet());
    texts.forEach((name, text) -> apply(Map.of(name, Optional.of(text))));
  }

  List<DroppedLog> all() {
    return List.copyOf(byName.values());
  }
}
