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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What exists. Changes are for the control thread alone and are durable before anybody can see
 * them; reads are for any thread.
 */
public final class Catalog implements Closeable {

  private static final String COUNTERS = "counters";
  private static final String TABLE = "table/";

  private final CatalogStore store;
  private final NavigableMap<String, TableRecord> tableByName = new ConcurrentSkipListMap<>();
  private final Map<Integer, TableRecord> tableById = new ConcurrentHashMap<>();
  private final Set<Integer> partitions = ConcurrentHashMap.newKeySet();
  private final TunnelRecords tunnels = new TunnelRecords();
  private long lastTunnel;
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
    } else {
      tunnels.load(name, text);
    }
  }

  private void put(TableRecord table) {
    table.partitions().forEach(partition -> partitions.add(partition.id()));
    tableByName.put(table.meta().name(), table);
    tableById.put(table.tableId(), table);
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

  /** Whether a partition of that id exists. */
  public boolean hasPartition(int partition) {
    return partitions.contains(partition);
  }

  /** The partitions that exist at this moment: a copy. */
  public Set<Integer> partitionIds() {
    return Set.copyOf(partitions);
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
    List<TunnelInfo> dropped = tunnels(Optional.of(table.meta().name()));
    dropped.forEach(tunnel -> changes.putAll(tunnels.removal(tunnel.tunnelId())));
    store.write(changes);
    tableByName.remove(table.meta().name());
    tableById.remove(table.tableId());
    table.partitions().forEach(partition -> partitions.remove(partition.id()));
    dropped.forEach(tunnel -> tunnels.removed(tunnel.tunnelId()));
  }

  /** The tunnels of a table, or of all, by table and name. */
  public List<TunnelInfo> tunnels(Optional<String> table) {
    return tunnels.tunnels().stream()
        .filter(tunnel -> table.isEmpty() || tunnel.table().equals(table.get()))
        .sorted(Comparator.comparing(TunnelInfo::table).thenComparing(TunnelInfo::tunnel))
        .toList();
  }

  /** The tunnel of that id. */
  public TunnelInfo tunnel(String tunnelId) {
    return tunnels
        .tunnel(tunnelId)
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TUNNEL_NOT_FOUND,
                    "there is no tunnel with id '" + tunnelId + "'; it may have been deleted"));
  }

  /** The tunnel of that name. */
  public TunnelInfo tunnel(String table, String name) {
    List<TunnelInfo> ofTable = tunnels(Optional.of(table(table).meta().name()));
    for (TunnelInfo tunnel : ofTable) {
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
            + ofTable.stream().map(TunnelInfo::tunnel).toList());
  }

  /** An id that no other tunnel has, had, or will have. */
  public String newTunnelId(long nowMicros) {
    lastTunnel = Math.max(lastTunnel + 1, nowMicros);
    return "t" + counters.starts + "-" + Long.toString(lastTunnel, Character.MAX_RADIX);
  }

  /** Refuses a tunnel whose table does not exist, or whose name is taken. */
  public void requireFree(CreateTunnel request) {
    for (TunnelInfo tunnel : tunnels(Optional.of(table(request.table()).meta().name()))) {
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
  }

  /** Creates a tunnel with its channels as they begin. */
  public TunnelInfo createTunnel(
      CreateTunnel request, String tunnelId, Map<ChannelKey, ChannelState> states, long nowMs)
      throws IOException {
    requireFree(request);
    TunnelInfo tunnel =
        new TunnelInfo(
            tunnelId,
            request.tunnel(),
            request.table(),
            request.type(),
            request.start(),
            nowMs,
            request.startMs(),
            request.endMs());
    store.write(TunnelRecords.creation(tunnel, states));
    tunnels.created(tunnel, states);
    return tunnel;
  }

  /** Deletes a tunnel with its checkpoints. */
  public void deleteTunnel(TunnelInfo tunnel) throws IOException {
    store.write(tunnels.removal(tunnel.tunnelId()));
    tunnels.removed(tunnel.tunnelId());
  }

  /** The channels of a tunnel, as they are stored. */
  public NavigableMap<ChannelKey, ChannelState> channels(TunnelInfo tunnel) {
    NavigableMap<ChannelKey, ChannelState> channels = new TreeMap<>();
    for (PartitionRecord partition : table(tunnel.table()).partitions()) {
      for (ChannelKey key : ChannelKey.of(tunnel.type(), partition.id())) {
        channels.put(key, tunnels.state(tunnel.tunnelId(), key));
      }
    }
    return channels;
  }

  /** A channel of a tunnel, as it is stored. */
  public ChannelState channel(String tunnelId, ChannelKey key) {
    return tunnels.state(tunnelId, key);
  }

  /** Stores channels of a tunnel, all or none; what does not change is not written. */
  public void store(String tunnelId, Map<ChannelKey, ChannelState> states) throws IOException {
    store(Map.of(tunnelId, states));
  }

  /** The same for several tunnels, with one write. */
  public void store(Map<String, Map<ChannelKey, ChannelState>> statesByTunnel) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    statesByTunnel.forEach(
        (id, states) -> changes.putAll(tunnels.update(tunnel(id).tunnelId(), states)));
    if (!changes.isEmpty()) {
      store.write(changes);
      statesByTunnel.forEach(tunnels::updated);
    }
  }

  /** Whether a tunnel as a whole is paused. */
  public boolean isPaused(String tunnelId) {
    return tunnels.isPaused(tunnelId);
  }

  /** Pauses or resumes a tunnel as a whole. */
  public void pause(String tunnelId, boolean isPaused) throws IOException {
    store.write(TunnelRecords.pause(tunnel(tunnelId).tunnelId(), isPaused));
    tunnels.paused(tunnelId, isPaused);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
