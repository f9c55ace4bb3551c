package io.tunnel.server.catalog;

import com.google.gson.JsonObject;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;

/**
 * Tables with their partitions, and their texts {@code table/ID}. Changed by one thread, read by
 * any; listeners hear of a change after it.
 */
final class TableRecords {

  private static final String TABLE = "table/";

  private final NavigableMap<String, TableRecord> byName = new ConcurrentSkipListMap<>();
  private final Map<Integer, TableRecord> byId = new ConcurrentHashMap<>();
  private final Map<Integer, TableRecord> byPartition = new ConcurrentHashMap<>();

  /** By id, members of the stored text that this build does not know; none is empty. */
  private final Map<Integer, JsonObject> others = new ConcurrentHashMap<>();

  private final List<TableListener> listeners = new CopyOnWriteArrayList<>();

  void listen(TableListener listener) {
    listeners.add(listener);
  }

  NavigableMap<String, TableRecord> byName() {
    return byName;
  }

  Optional<TableRecord> byId(int tableId) {
    return Optional.ofNullable(byId.get(tableId));
  }

  Optional<TableRecord> byPartition(int partition) {
    return Optional.ofNullable(byPartition.get(partition));
  }

  Set<Integer> partitions() {
    return Set.copyOf(byPartition.keySet());
  }

  /** The change that stores a table. */
  static Map<String, Optional<String>> creation(TableRecord table) {
    return Map.of(TABLE + table.tableId(), Optional.of(Json.toText(table)));
  }

  /** The change that stores a known table again, with the members that a newer build noted. */
  Map<String, Optional<String>> rewriting(TableRecord table) {
    JsonObject noted = others.getOrDefault(table.tableId(), new JsonObject());
    return Map.of(TABLE + table.tableId(), Optional.of(StoredText.with(noted, table)));
  }

  /** The name of the text of a table. */
  static String name(int tableId) {
    return TABLE + tableId;
  }

  /** The changes that store the tables among {@code texts} with the origins of their new logs. */
  static Map<String, Optional<String>> moved(
      Map<String, String> texts, IntFunction<Optional<Bytes>> origins) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    texts.forEach(
        (name, text) -> {
          if (name.startsWith(TABLE)) {
            TableRecord table = StoredText.open(name, text, TableRecord.class);
            JsonObject noted = StoredText.others(name, text, table);
            TableRecord moved = table.withOrigin(origins.apply(table.tableId()));
            changes.put(name, Optional.of(StoredText.with(noted, moved)));
          }
        });
    return changes;
  }

  /** The change that removes a table. */
  static Map<String, Optional<String>> removal(TableRecord table) {
    return Map.of(TABLE + table.tableId(), Optional.empty());
  }

  /** Applies stored changes; ignores texts under other names. */
  void apply(Map<String, Optional<String>> changes) {
    Map<Integer, TableRecord> tables = new LinkedHashMap<>();
    List<Integer> removed = new ArrayList<>();
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(TABLE) && text.isPresent()) {
            TableRecord table = StoredText.open(name, text.get(), TableRecord.class);
            note(table.tableId(), StoredText.others(name, text.get(), table));
            tables.put(table.tableId(), table);
          } else if (name.startsWith(TABLE)) {
            removed.add(Integer.parseInt(name.substring(TABLE.length())));
          }
        });
    // Removals first: another table may have taken the name.
    removed.forEach(this::remove);
    tables.values().forEach(this::put);
  }

  private void note(int tableId, JsonObject members) {
    if (members.isEmpty()) {
      others.remove(tableId);
    } else {
      others.put(tableId, members);
    }
  }

  /** Replaces all tables with the tables among {@code texts}. */
  void replace(Map<String, String> texts) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    byId.keySet().forEach(id -> changes.put(TABLE + id, Optional.empty()));
    texts.forEach((name, text) -> changes.put(name, Optional.of(text)));
    apply(changes);
  }

  /** Adds or replaces a table. */
  void put(TableRecord table) {
    TableRecord before = byId.put(table.tableId(), table);
    if (table.equals(before)) {
      return;
    }
    Set<Integer> gone = new HashSet<>();
    if (before != null) {
      before.partitions().forEach(partition -> gone.add(partition.id()));
      if (!before.meta().name().equals(table.meta().name())) {
        byName.remove(before.meta().name(), before);
      }
    }
    for (PartitionRecord partition : table.partitions()) {
      byPartition.put(partition.id(), table);
      gone.remove(partition.id());
    }
    byName.put(table.meta().name(), table);
    byPartition.keySet().removeAll(gone);
    for (TableListener listener : listeners) {
      if (before == null) {
        listener.created(table);
      } else {
        listener.altered(before, table);
      }
    }
  }

  /** Removes a table. */
  void remove(int tableId) {
    others.remove(tableId);
    TableRecord table = byId.remove(tableId);
    if (table != null) {
      byName.remove(table.meta().name(), table);
      table.partitions().forEach(partition -> byPartition.remove(partition.id()));
      listeners.forEach(listener -> listener.dropped(table));
    }
  }
}
