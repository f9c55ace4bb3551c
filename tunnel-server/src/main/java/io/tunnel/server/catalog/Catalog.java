package io.tunnel.server.catalog;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What exists. Changes are for the control thread alone and are durable before anybody can see
 * them; reads are for any thread.
 */
public final class Catalog implements Closeable {

  private static final String COUNTERS = "counters";
  private static final String TABLE = "table/";
  private static final String TUNNEL = "tunnel/";
  private static final String CHECKPOINT = "checkpoint/";

  private final CatalogStore store;
  private final NavigableMap<String, TableRecord> tableByName = new ConcurrentSkipListMap<>();
  private final Map<Integer, TableRecord> tableById = new ConcurrentHashMap<>();
  private final Map<String, TunnelInfo> tunnelById = new ConcurrentHashMap<>();
  private final Map<String, Map<Integer, Long>> checkpointsByTunnel = new ConcurrentHashMap<>();
  private Counters counters = new Counters(0, 0, 0);

  /**
   * Numbers that only grow, so that nothing is named twice; {@code starts} counts openings of this
   * catalog.
   */
  private record Counters(int tables, int partitions, long starts) {}

  /** Reads what {@code store} keeps, and counts one more start. */
  public Catalog(CatalogStore store) throws IOException {
    this.store = store;
    store.all().forEach(this::load);
    counters = new Counters(counters.tables, counters.partitions, counters.starts + 1);
    store.write(Map.of(COUNTERS, Optional.of(Json.toText(counters))));
  }

  /** Opens the catalog that is kept in {@code directory}. */
  public static Catalog open(Path directory) throws IOException {
    CatalogStore store = new RocksCatalogStore(directory);
    try {
      return new Catalog(store);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private void load(String name, String text) {
    if (name.equals(COUNTERS)) {
      counters = Json.ofText(text, Counters.class);
    } else if (name.startsWith(TABLE)) {
      put(Json.ofText(text, TableRecord.class));
    } else if (name.startsWith(TUNNEL)) {
      TunnelInfo tunnel = Json.ofText(text, TunnelInfo.class);
      tunnelById.put(tunnel.tunnelId(), tunnel);
    } else if (name.startsWith(CHECKPOINT)) {
      int slash = name.lastIndexOf('/');
      checkpoints(name.substring(CHECKPOINT.length(), slash))
          .put(Integer.parseInt(name.substring(slash + 1)), Long.parseLong(text));
    }
  }

  private void put(TableRecord table) {
    tableByName.put(table.meta().name(), table);
    tableById.put(table.tableId(), table);
  }

  private Map<Integer, Long> checkpoints(String tunnelId) {
    return checkpointsByTunnel.computeIfAbsent(tunnelId, id -> new ConcurrentHashMap<>());
  }

  /** How often this catalog was opened: grows with every start of the server. */
  public long starts() {
    return counters.starts;
  }

  /** All tables by name. */
  public Collection<TableRecord> tables() {
    return tableByName.values();
  }

  /** The table of that name. */
  public TableRecord table(String name) {
    TableRecord table = tableByName.get(name);
    if (table == null) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "there is no table '" + name + "'; the tables are " + tableByName.keySet());
    }
    return table;
  }

  /** The table of that id. */
  public TableRecord table(int tableId) {
    TableRecord table = tableById.get(tableId);
    if (table == null) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "there is no table with id " + tableId + "; it may have been dropped");
    }
    return table;
  }

  /** Creates a table with a partition before, between and behind {@code splitPoints}. */
  public TableRecord createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints, long nowMs)
      throws IOException {
    if (tableByName.containsKey(meta.name())) {
      throw new RefusedException(
          ErrorCode.TABLE_EXISTS,
          "a table '" + meta.name() + "' exists; drop it first or choose another name");
    }
    List<Bytes> bounds = bounds(meta.primaryKey().get(0).type(), splitPoints);
    List<PartitionRecord> partitions = new ArrayList<>();
    for (int i = 0; i + 1 < bounds.size(); i++) {
      partitions.add(
          new PartitionRecord(
              counters.partitions + i + 1, bounds.get(i), bounds.get(i + 1), List.of()));
    }
    TableRecord table = new TableRecord(counters.tables + 1, meta, nowMs, partitions);
    Counters after =
        new Counters(table.tableId(), counters.partitions + partitions.size(), counters.starts);
    store.write(
        Map.of(
            COUNTERS,
            Optional.of(Json.toText(after)),
            TABLE + table.tableId(),
            Optional.of(Json.toText(table))));
    counters = after;
    put(table);
    return table;
  }

  private static List<Bytes> bounds(PrimaryKeyType type, List<PrimaryKeyValue> splitPoints) {
    if (splitPoints.size() >= Limits.TABLE_PARTITIONS_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a table has at most "
              + Limits.TABLE_PARTITIONS_MAX
              + " partitions, not "
              + (splitPoints.size() + 1));
    }
    List<Bytes> bounds = new ArrayList<>();
    bounds.add(Bytes.EMPTY);
    for (PrimaryKeyValue point : splitPoints) {
      if (point.keyType() != type) {
        throw new RefusedException(
            ErrorCode.KEY_MISMATCH,
            "split point "
                + point
                + " is "
                + point.keyType()
                + ", the first key column is "
                + type);
      }
      Bytes bound = KeyCodec.encode(point);
      if (bound.compareTo(bounds.get(bounds.size() - 1)) <= 0) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST, "split points must rise, but " + point + " does not");
      }
      bounds.add(bound);
    }
    bounds.add(Bytes.EMPTY);
    return bounds;
  }

  /** Gives a table other options, for all that is done from now on. */
  public TableRecord alterTable(TableRecord table, TableOptions options) throws IOException {
    TableMeta meta = new TableMeta(table.meta().name(), table.meta().primaryKey(), options);
    TableRecord altered =
        new TableRecord(table.tableId(), meta, table.createdMs(), table.partitions());
    store.write(Map.of(TABLE + table.tableId(), Optional.of(Json.toText(altered))));
    put(altered);
    return altered;
  }

  /** Drops a table with its tunnels. */
  public void dropTable(TableRecord table) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    changes.put(TABLE + table.tableId(), Optional.empty());
    List<TunnelInfo> tunnels = tunnels(Optional.of(table.meta().name()));
    tunnels.forEach(tunnel -> addRemoval(changes, tunnel));
    store.write(changes);
    tableByName.remove(table.meta().name());
    tableById.remove(table.tableId());
    tunnels.forEach(this::forget);
  }

  /** The tunnels of a table, or of all, by table and name. */
  public List<TunnelInfo> tunnels(Optional<String> table) {
    return tunnelById.values().stream()
        .filter(tunnel -> table.isEmpty() || tunnel.table().equals(table.get()))
        .sorted(Comparator.comparing(TunnelInfo::table).thenComparing(TunnelInfo::tunnel))
        .toList();
  }

  /** The tunnel of that id. */
  public TunnelInfo tunnel(String tunnelId) {
    TunnelInfo tunnel = tunnelById.get(tunnelId);
    if (tunnel == null) {
      throw new RefusedException(
          ErrorCode.TUNNEL_NOT_FOUND,
          "there is no tunnel with id '" + tunnelId + "'; it may have been deleted");
    }
    return tunnel;
  }

  /** The tunnel of that name. */
  public TunnelInfo tunnel(String table, String name) {
    List<TunnelInfo> tunnels = tunnels(Optional.of(table(table).meta().name()));
    for (TunnelInfo tunnel : tunnels) {
      if (tunnel.tunnel().equals(name)) {
        return tunnel;
      }
    }
    throw new RefusedException(
        ErrorCode.TUNNEL_NOT_FOUND,
        "table '"
            + table
            + "' has no tunnel '"
            + name
            + "'; its tunnels are "
            + tunnels.stream().map(TunnelInfo::tunnel).toList());
  }

  /**
   * Creates a tunnel whose channels start behind {@code checkpoints}, a position for each
   * partition.
   */
  public TunnelInfo createTunnel(
      CreateTunnel request, String tunnelId, Map<Integer, Long> checkpoints, long nowMs)
      throws IOException {
    for (TunnelInfo tunnel : tunnels(Optional.of(request.table()))) {
      if (tunnel.tunnel().equals(request.tunnel())) {
        throw new RefusedException(
            ErrorCode.TUNNEL_EXISTS,
            "table '"
                + request.table()
                + "' has a tunnel '"
                + request.tunnel()
                + "'; delete it first or choose another name");
      }
    }
    TunnelInfo tunnel =
        new TunnelInfo(
            tunnelId, request.tunnel(), request.table(), request.type(), request.start(), nowMs);
    Map<String, Optional<String>> changes = new HashMap<>();
    changes.put(TUNNEL + tunnelId, Optional.of(Json.toText(tunnel)));
    checkpoints.forEach(
        (partition, position) ->
            changes.put(checkpointName(tunnelId, partition), Optional.of(Long.toString(position))));
    store.write(changes);
    checkpoints(tunnelId).putAll(checkpoints);
    tunnelById.put(tunnelId, tunnel);
    return tunnel;
  }

  /** Deletes a tunnel with its checkpoints. */
  public void deleteTunnel(TunnelInfo tunnel) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    addRemoval(changes, tunnel);
    store.write(changes);
    forget(tunnel);
  }

  private void addRemoval(Map<String, Optional<String>> changes, TunnelInfo tunnel) {
    changes.put(TUNNEL + tunnel.tunnelId(), Optional.empty());
    for (int partition : checkpoints(tunnel.tunnelId()).keySet()) {
      changes.put(checkpointName(tunnel.tunnelId(), partition), Optional.empty());
    }
  }

  private void forget(TunnelInfo tunnel) {
    tunnelById.remove(tunnel.tunnelId());
    checkpointsByTunnel.remove(tunnel.tunnelId());
  }

  private static String checkpointName(String tunnelId, int partition) {
    return CHECKPOINT + tunnelId + "/" + partition;
  }

  /** Position up to which, inclusive, a channel's changes were processed. */
  public long checkpoint(String tunnelId, int partition) {
    return checkpoints(tunnelId).getOrDefault(partition, 0L);
  }

  /** Stores progress of channels of a tunnel, by partition. */
  public void checkpoint(String tunnelId, Map<Integer, Long> positions) throws IOException {
    Map<String, Optional<String>> changes = new HashMap<>();
    positions.forEach(
        (partition, position) ->
            changes.put(checkpointName(tunnelId, partition), Optional.of(Long.toString(position))));
    store.write(changes);
    checkpoints(tunnelId).putAll(positions);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
