package io.tunnel.server.catalog;

import io.tunnel.codec.MalformedException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.FailureTexts;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.StoredOrigin;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.catalog.tunnel.TunnelRecords;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tunnels that exist, and the progress of their channels. Only the control thread changes them,
 * and each change is durable before any thread can see it; any thread may read.
 *
 * <p>A server without a cluster keeps tunnels and tables in one store. A cluster spreads its
 * tunnels over groups, each with a store of its own; there, a tunnel whose table was dropped does
 * not exist any more, even while its store still has its texts.
 */
public final class TunnelCatalog implements Closeable {

  private static final Pattern ID_OF_GROUP = Pattern.compile("t\\d{1,18}g(\\d{1,9})-.*");
  private final Catalog tables;
  private final CatalogStore store;
  private final OptionalInt group;
  private final long starts;
  private final Map<String, Optional<String>> confirmation;

  private final TunnelRecords tunnels;
  private final DoneRequests done = new DoneRequests("asked/");
  private long lastTunnel;
  private ClockNote clock;
  private long writes;

  /** All tunnels of {@code tables}, in its store; counts one more start. */
  public TunnelCatalog(Catalog tables) throws IOException {
    this.tables = tables;
    this.store = tables.requireStore();
    this.group = OptionalInt.empty();
    Map<String, String> texts = store.all();
    this.tunnels = new TunnelRecords(texts, group);
    done.replace(texts);
    this.starts = tables.countStart();
    this.confirmation = Map.of();
    this.clock = ClockRecord.in(texts);
    tables.share(this);
  }

  /**
   * A group of tunnels in a store of its own; counts one more start there.
   *
   * @param group at least 0; part of the ids of all tunnels that this catalog creates
   */
  public TunnelCatalog(Catalog tables, CatalogStore store, int group) throws IOException {
    if (group < 0) {
      throw new IllegalArgumentException("a group of tunnels is at least 0, not " + group);
    }
    this.tables = tables;
    this.store = store;
    this.group = OptionalInt.of(group);
    Map<String, String> texts = store.all();
    this.tunnels = new TunnelRecords(texts, this.group);
    done.replace(texts);
    Counters counters = Counters.in(texts).withOneMoreStart();
    this.confirmation = counters.change();
    store.write(confirmation);
    this.starts = counters.starts();
    this.clock = ClockNote.NOTHING;
  }

  private void write(Map<String, Optional<String>> changes) throws IOException {
    store.write(changes);
    writes++;
  }

  /** Writes requested changes together with the note that the request is done. */
  private void write(Map<String, Optional<String>> changes, Asked asked, String result)
      throws IOException {
    Map<String, Optional<String>> all = new LinkedHashMap<>(changes);
    all.putAll(done.noting(asked, result));
    if (!all.isEmpty()) {
      write(all);
      done.apply(all);
    }
  }

  /** The result of a request that was done before: for a creation, the tunnel's id. */
  public Optional<String> done(Asked asked) {
    return done.result(asked);
  }

  /** Number of syncs of the store's disk since the catalog was opened. */
  public long syncs() {
    return store.syncs();
  }

  /** Whether the texts here are the stored ones: no write has an unknown outcome. */
  public boolean isCertain() {
    return !store.isInDoubt();
  }

  /** How the disk of the store does. For any thread. */
  public DiskCondition condition() {
    return store.condition();
  }

  /** Lets the store recover from a failure of its disk; a few times a second. */
  public void tend() {
    store.tend();
  }

  /** Number of writes that were stored. */
  public long writes() {
    return writes;
  }

  /**
   * Writes a stored text again, which fails if another node has written meanwhile. Does nothing on
   * a server without a cluster.
   *
   * @throws FencedStoreException when another node writes by now
   * @throws StoreUnavailableException when the store cannot tell now
   */
  public void confirm() throws IOException {
    if (confirmation.isEmpty()) {
      return;
    }
    try {
      write(confirmation);
    } catch (UnknownOutcomeException e) {
      throw new StoreUnavailableException(e.getMessage(), e);
    }
  }

  /**
   * Opens the tables and tunnels in {@code directory}.
   *
   * @param nanos a monotonic clock
   * @throws IOException also for a text that is damaged, or that a newer build wrote; the directory
   *     stays as it is
   */
  public static TunnelCatalog open(Path directory, LongSupplier nanos) throws IOException {
    CatalogStore store = CatalogStore.open(directory, nanos);
    try {
      return new TunnelCatalog(new Catalog(store));
    } catch (MalformedException e) {
      store.close();
      throw new IOException("cannot read the catalog in " + directory + ": " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** The group in a tunnel's id; empty for a tunnel of a server without a cluster. */
  public static OptionalInt groupOf(String tunnelId) {
    Matcher matcher = ID_OF_GROUP.matcher(tunnelId);
    return matcher.matches()
        ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
        : OptionalInt.empty();
  }

  /** The tables of these tunnels. */
  public Catalog tables() {
    return tables;
  }

  /** What a server without a cluster noted of its wall clock. */
  public ClockNote clock() {
    return clock;
  }

  /** Notes something about the wall clock. */
  public void note(ClockNote next) throws IOException {
    write(ClockRecord.change(next));
    clock = next;
  }

  /** The row sessions of a server without a cluster. */
  public RowSessionRecords rowSessions() {
    return tables.rowSessions();
  }

  /** Number of openings of this catalog; grows with every start of the server. */
  public long starts() {
    return starts;
  }

  /** A name of this opening, unique among the openings of all groups of a cluster. */
  public String startId() {
    return starts + (group.isPresent() ? "g" + group.getAsInt() : "");
  }

  /** The tunnels of a table, or of all, by table and name. */
  public List<TunnelInfo> tunnels(Optional<String> table) {
    return tunnels.tunnels().stream()
        .filter(tunnel -> table.isEmpty() || tunnel.table().equals(table.get()))
        .filter(tunnel -> !isOrphan(tunnel.tunnelId()))
        .sorted(Comparator.comparing(TunnelInfo::table).thenComparing(TunnelInfo::tunnel))
        .toList();
  }

  private boolean isOrphan(String tunnelId) {
    OptionalInt tableId = tunnels.tableId(tunnelId);
    return tableId.isPresent() && tables.isDropped(tableId.getAsInt());
  }

  /** Tunnels whose tables were dropped, and whose texts can be deleted. */
  public List<TunnelInfo> orphans() {
    return tunnels.tunnels().stream().filter(tunnel -> isOrphan(tunnel.tunnelId())).toList();
  }

  /** Whether there is a tunnel of that id. */
  public boolean exists(String tunnelId) {
    return tunnels.tunnel(tunnelId).isPresent() && !isOrphan(tunnelId);
  }

  /** The tunnel of that id. */
  public TunnelInfo tunnel(String tunnelId) {
    return tunnels
        .tunnel(tunnelId)
        .filter(tunnel -> !isOrphan(tunnelId))
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TUNNEL_NOT_FOUND,
                    "there is no tunnel with id '" + tunnelId + "'; it may have been deleted"));
  }

  /** The tunnel of that name. */
  public TunnelInfo tunnel(String table, String name) {
    List<TunnelInfo> ofTable = tunnels(Optional.of(tables.table(table).meta().name()));
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
            + Names.listed(ofTable.stream().map(TunnelInfo::tunnel).toList()));
  }

  /** A new tunnel id, which is never given again. */
  public String newTunnelId(long nowMicros) {
    lastTunnel = Math.max(lastTunnel + 1, nowMicros);
    return "t" + startId() + "-" + Long.toString(lastTunnel, Character.MAX_RADIX);
  }

  /**
   * Refuses a tunnel whose table does not exist, whose name is taken, or that exceeds a limit.
   *
   * @param creator the creating principal, if known
   */
  public void requireFree(CreateTunnel request, Optional<String> creator) {
    TableRecord table = tables.table(request.table());
    List<TunnelInfo> others = tunnels(Optional.of(table.meta().name()));
    for (TunnelInfo tunnel : others) {
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
    int channels = ChannelKey.of(request.type(), 0).size() * table.partitions().size();
    tables.limits().requireTunnel(others.size(), tunnels.channelCount(), channels);
    tables
        .holdings()
        .requireTunnel(
            creator,
            table.meta().name(),
            others.size(),
            () -> tunnelsByCreator().getOrDefault(creator.orElseThrow(), 0));
  }

  /** By principal, the number of tunnels of this catalog that it created. */
  public Map<String, Integer> tunnelsByCreator() {
    Map<String, Integer> counts = new HashMap<>();
    tunnels.tunnels().stream()
        .filter(tunnel -> tunnel.creator().isPresent() && !isOrphan(tunnel.tunnelId()))
        .forEach(tunnel -> counts.merge(tunnel.creator().get(), 1, Integer::sum));
    return counts;
  }

  /** Creates a tunnel with the first states of its channels. */
  public TunnelInfo createTunnel(
      CreateTunnel request, String tunnelId, Map<ChannelKey, ChannelState> states, long nowMs)
      throws IOException {
    return createTunnel(request, tunnelId, states, nowMs, Asked.NAMELESS);
  }

  /** Creates a tunnel for a request that the client may retry. */
  public TunnelInfo createTunnel(
      CreateTunnel request,
      String tunnelId,
      Map<ChannelKey, ChannelState> states,
      long nowMs,
      Asked asked)
      throws IOException {
    requireFree(request, asked.by());
    TunnelInfo tunnel =
        new TunnelInfo(
            tunnelId,
            request.tunnel(),
            request.table(),
            request.type(),
            request.start(),
            nowMs,
            request.startMs(),
            request.endMs(),
            asked.by());
    OptionalInt tableId =
        group.isPresent()
            ? OptionalInt.of(tables.table(request.table()).tableId())
            : OptionalInt.empty();
    write(TunnelRecords.creation(tunnel, tableId, states), asked, tunnelId);
    tunnels.created(tunnel, tableId, states);
    return tunnel;
  }

  /** Deletes a tunnel with its checkpoints. */
  public void deleteTunnel(TunnelInfo tunnel) throws IOException {
    deleteTunnel(tunnel, Asked.NAMELESS);
  }

  /** Deletes a tunnel for a request that the client may retry. */
  public void deleteTunnel(TunnelInfo tunnel, Asked asked) throws IOException {
    write(tunnels.removal(tunnel.tunnelId()), asked, "");
    tunnels.removed(tunnel.tunnelId());
  }

  /** The changes that remove a table's tunnels, if the table is in the same store. */
  Map<String, Optional<String>> removalOf(TableRecord table) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    tunnels(Optional.of(table.meta().name()))
        .forEach(tunnel -> changes.putAll(tunnels.removal(tunnel.tunnelId())));
    return changes;
  }

  /**
   * Applies texts of a write that had an unknown outcome and is stored now.
   *
   * @return ids of the tunnels that changed, including removed ones
   */
  public Set<String> applied(Map<String, Optional<String>> changes) {
    done.apply(changes);
    changes.forEach(tunnels::apply);
    return TunnelRecords.tunnelIds(changes.keySet());
  }

  /** Partitions of stream channels with changes to process, also of tunnels without a worker. */
  public Set<Integer> unfinished() {
    Set<Integer> partitions = new HashSet<>();
    for (TunnelInfo tunnel : tunnels(Optional.empty())) {
      knownChannels(tunnel)
          .forEach(
              (key, state) -> {
                if (key.type() == ChannelType.Stream && !state.isFinished()) {
                  partitions.add(key.partition());
                }
              });
    }
    return partitions;
  }

  private Map<ChannelKey, ChannelState> knownChannels(TunnelInfo tunnel) {
    try {
      return channels(tunnel);
    } catch (RefusedException e) {
      // This node has not read the table's record yet; the next look finds it.
      return Map.of();
    }
  }

  /** The stored states of a tunnel's channels. */
  public NavigableMap<ChannelKey, ChannelState> channels(TunnelInfo tunnel) {
    NavigableMap<ChannelKey, ChannelState> channels = new TreeMap<>();
    for (PartitionRecord partition : tables.table(tunnel.table()).partitions()) {
      for (ChannelKey key : ChannelKey.of(tunnel.type(), partition.id())) {
        channels.put(key, tunnels.state(tunnel.tunnelId(), key));
      }
    }
    return channels;
  }

  /** The stored state of a channel. */
  public ChannelState channel(String tunnelId, ChannelKey key) {
    return tunnels.state(tunnelId, key);
  }

  /** Stores states of a tunnel's channels, all or none; skips states that do not change. */
  public void store(String tunnelId, Map<ChannelKey, ChannelState> states) throws IOException {
    store(Map.of(tunnelId, states), Map.of());
  }

  /** Stores states for a request that the client may retry. */
  public void store(
      String tunnelId, Map<ChannelKey, ChannelState> states, Asked asked, String result)
      throws IOException {
    write(tunnels.update(tunnel(tunnelId).tunnelId(), states), asked, result);
    tunnels.updated(tunnelId, states);
  }

  /** Stores the states of several tunnels, and the changes that their workers skipped. */
  public void store(
      Map<String, Map<ChannelKey, ChannelState>> statesByTunnel,
      Map<String, List<SkippedChange>> skippedByTunnel)
      throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    statesByTunnel.forEach(
        (id, states) -> changes.putAll(tunnels.update(tunnel(id).tunnelId(), states)));
    Map<String, Optional<String>> skips = new LinkedHashMap<>();
    skippedByTunnel.forEach((id, skipped) -> skips.putAll(tunnels.skip(id, skipped)));
    changes.putAll(skips);
    if (!changes.isEmpty()) {
      write(changes);
      statesByTunnel.forEach(tunnels::updated);
      skips.forEach(tunnels::apply);
    }
  }

  /** The bytes of the reasons of stopped channels. */
  public FailureTexts stopped() {
    return tunnels.stopped();
  }

  /** The changes that a tunnel's workers skipped. */
  public Skipped skipped(String tunnelId) {
    return tunnels.skipped(tunnelId);
  }

  /** Whether a complete tunnel is paused. */
  public boolean isPaused(String tunnelId) {
    return tunnels.isPaused(tunnelId);
  }

  /** Pauses or resumes a complete tunnel. */
  public void pause(String tunnelId, boolean isPaused, Asked asked) throws IOException {
    boolean isSo = isPaused(tunnel(tunnelId).tunnelId()) == isPaused;
    write(isSo ? Map.of() : TunnelRecords.pause(tunnelId, isPaused), asked, "");
    tunnels.paused(tunnelId, isPaused);
  }

  /**
   * The number that ties logs and rows to this catalog.
   *
   * @param fresh makes a number if there is none yet
   */
  public int origin(IntSupplier fresh) throws IOException {
    return StoredOrigin.ensure(store, fresh);
  }

  /** Closes the store, which may hold the tables too. */
  @Override
  public void close() throws IOException {
    store.close();
  }
}
