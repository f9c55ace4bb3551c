package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredOrigin;
import io.tunnel.server.catalog.tunnel.TunnelRecords;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * The texts of a cluster that is restored from the catalog of a single server. Tables, users,
 * rights and counters stay in the catalog; each tunnel goes to the store of its group. The id of a
 * tunnel names its group in a cluster, so tunnels of a single server get other ids.
 *
 * <p>Not carried over: incarnations, which are in the logs of a cluster; the notes of finished
 * requests of tunnels, whose results name former ids; the clock and the origin of the server.
 *
 * @param catalog changes that make an empty catalog the restored one
 * @param groups by number of a group, the changes of its store
 * @param renamed by former id of a tunnel, the id in the cluster; without ids that stay
 */
public record MovedCatalog(
    Map<String, Optional<String>> catalog,
    Map<Integer, Map<String, Optional<String>>> groups,
    SortedMap<String, String> renamed) {

  private static final List<String> KEPT = List.of("security/", "request/", "rowsession");

  /** Copies the maps. */
  public MovedCatalog {
    catalog = Map.copyOf(catalog);
    groups = Map.copyOf(groups);
    renamed = new TreeMap<>(renamed);
  }

  /**
   * Moves a catalog.
   *
   * @param stored with {@linkplain RestoredCounters raised} counters
   * @param origins of the new logs, by id of the table
   * @param groupOf the group of a table's tunnels, by id of the table
   * @param groupCount number of groups
   */
  public static MovedCatalog toCluster(
      StoredCatalog stored,
      Map<Integer, Bytes> origins,
      IntUnaryOperator groupOf,
      int groupCount,
      Founding founding) {
    Map<String, String> texts = stored.texts();
    Map<String, Optional<String>> catalog = new HashMap<>(founding.changes());
    texts.forEach(
        (name, text) -> {
          if (KEPT.stream().anyMatch(name::startsWith)) {
            catalog.put(name, Optional.of(text));
          }
        });
    Counters counters = Counters.in(texts);
    catalog.putAll(counters.change());
    catalog.putAll(TableRecords.moved(texts, id -> Optional.of(origins.get(id))));
    catalog.putAll(RestoreNote.removal());
    Map<Integer, Map<String, Optional<String>>> groups = new HashMap<>();
    for (int group = 0; group < groupCount; group++) {
      Map<String, Optional<String>> changes = new HashMap<>();
      changes.putAll(new Counters(0, 0, counters.starts()).change());
      groups.put(group, changes);
    }
    SortedMap<String, String> newIds = new TreeMap<>();
    for (TunnelInfo tunnel : stored.tunnels().tunnels(Optional.empty())) {
      int tableId = stored.tables().table(tunnel.table()).tableId();
      int group = groupOf.applyAsInt(tableId);
      String id = idIn(group, tunnel.tunnelId());
      newIds.put(tunnel.tunnelId(), id);
      groups.get(group).putAll(TunnelRecords.of(id, tableId));
    }
    TunnelRecords.moved(texts, id -> newIds.getOrDefault(id, id))
        .forEach(
            (id, changes) ->
                Optional.ofNullable(groups.get(TunnelCatalog.groupOf(id).orElse(-1)))
                    .ifPresent(group -> group.putAll(changes)));
    newIds.entrySet().removeIf(each -> each.getKey().equals(each.getValue()));
    return new MovedCatalog(catalog, groups, newIds);
  }

  /**
   * The texts of a single server's catalog, made of those of a cluster. Tunnels keep their ids.
   *
   * @param catalog the texts of the cluster's catalog
   * @param groups the texts of the groups of tunnels
   * @param incarnations of all partitions
   * @param origin see {@link StoredOrigin}
   */
  public static SortedMap<String, String> toServer(
      Map<String, String> catalog,
      List<Map<String, String>> groups,
      Map<Integer, IncarnationHistory> incarnations,
      int origin) {
    SortedMap<String, String> texts = new TreeMap<>();
    catalog.forEach(
        (name, text) -> {
          if (KEPT.stream().anyMatch(name::startsWith)) {
            texts.put(name, text);
          }
        });
    Map<String, Optional<String>> changes = new HashMap<>();
    changes.putAll(TableRecords.moved(catalog, id -> Optional.empty()));
    Counters counters = Counters.in(catalog);
    long starts = counters.starts();
    for (Map<String, String> group : groups) {
      starts = Math.max(starts, Counters.in(group).starts());
      Map<String, Map<String, Optional<String>>> own = TunnelRecords.moved(group, id -> id);
      TunnelRecords.tableIds(group)
          .forEach(
              (id, tableId) -> {
                if (!catalog.containsKey(TableRecords.name(tableId))) {
                  return;
                }
                changes.putAll(own.getOrDefault(id, Map.of()));
                changes.putAll(TunnelRecords.withoutTable(id));
              });
    }
    changes.putAll(new Counters(counters.tables(), counters.partitions(), starts).change());
    changes.putAll(StoredIncarnations.noting(incarnations));
    changes.putAll(StoredOrigin.noting(origin));
    CatalogStore.apply(changes, texts);
    return texts;
  }

  /** The level of a catalog with these texts. */
  public static int levelOf(Map<String, String> texts) {
    return CatalogLevel.in(texts);
  }

  private static String idIn(int group, String id) {
    if (TunnelCatalog.groupOf(id).isPresent()) {
      return id.replaceFirst("^(t\\d+g)\\d+-", "$1" + group + "-");
    }
    int dash = id.indexOf('-');
    return id.substring(0, dash) + "g" + group + id.substring(dash);
  }

  /**
   * The incarnations of a partition in the catalog of a single server.
   *
   * @param texts of the catalog
   */
  public static IncarnationHistory incarnations(Map<String, String> texts, int partition) {
    return StoredIncarnations.in(texts, partition);
  }

  /** The least number of an incarnation that begins after a restore at {@code nowMs}. */
  public static long leastIncarnation(Map<String, String> texts, long nowMs) {
    return StoredIncarnations.least(texts, nowMs);
  }
}
