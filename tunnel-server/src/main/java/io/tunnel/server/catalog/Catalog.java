package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.security.SecurityRecords;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * The tables and partitions that exist. Only the control thread changes the catalog, and each
 * change is durable before any thread can see it; any thread may read.
 *
 * <p>A catalog leads or follows. A leader has a store, and decides. A follower hears what another
 * node has stored, and refuses to decide; a new follower shows no table until {@link #caughtUp}.
 * {@link #lead} and {@link #resign} switch between the two, and the tables stay visible meanwhile.
 * A leader hears its own writes too, possibly after it has resigned. A former leader shows its
 * tables until {@link #caughtUp}, so no stored table ever disappears for a while.
 *
 * <p>The part that made the store closes it.
 */
public final class Catalog {

  private final TableRecords tables = new TableRecords();
  private final DoneRequests done = new DoneRequests("request/");
  private final TableIdNotes notes = new TableIdNotes();
  private final CatalogLevel level = new CatalogLevel();
  private final ChannelGrants grants = new ChannelGrants();
  private final SecurityRecords security =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
  private final Holdings holdings = new Holdings(tables, security);
  private final RowSessionRecords rowSessions =
      new RowSessionRecords(changes -> requireStore().write(changes));

  /** The leader's texts that this node has heard of. */
  private final Map<String, String> followed = new TreeMap<>();

  private Optional<CatalogIdentity> identity = Optional.empty();
  private Optional<CatalogStore> store = Optional.empty();
  private Optional<TunnelCatalog> sharer = Optional.empty();
  private boolean isCaughtUp;
  private volatile Supplier<CatalogConfig> limits = () -> CatalogConfig.DEFAULT;

  /** Written after the tables that they count: a table that is counted and missing was dropped. */
  private volatile Counters counters = Counters.in(Map.of());

  /** A follower that has heard nothing yet. */
  public Catalog() {}

  /** A leader, with the texts of {@code store}. */
  public Catalog(CatalogStore store) throws IOException {
    lead(store);
  }

  /**
   * From now on refuses to create anything beyond {@code newLimits}, which the control thread asks
   * for.
   */
  public void limit(Supplier<CatalogConfig> newLimits) {
    limits = newLimits;
  }

  CatalogConfig limits() {
    return limits.get();
  }

  /**
   * From now on tells {@code listener} what becomes of tables; does not tell it the present tables.
   */
  public void listen(TableListener listener) {
    tables.listen(listener);
  }

  /**
   * From now on this node decides, starting with the texts of {@code store}.
   *
   * @throws CatalogWentBackException when the store has counted less than this node knows: it is
   *     not the store that this node has followed, and would give ids of existing tables again
   */
  public void lead(CatalogStore newStore) throws IOException {
    Map<String, String> texts = newStore.all();
    Counters stored = Counters.in(texts);
    if (!stored.covers(counters)) {
      throw new CatalogWentBackException(stored, counters);
    }
    level.requireIn(texts);
    replace(texts);
    store = Optional.of(newStore);
  }

  /**
   * From now on another node decides. The tables stay visible until this node has {@link
   * #caughtUp}.
   */
  public void resign() {
    store = Optional.empty();
    isCaughtUp = false;
  }

  /**
   * Hears texts that one write of the leader stored; called in the order of the writes. After a
   * write of another node, a leader confirms its lead with the store: another node may have led
   * briefly without this node's knowledge. A write would reveal that, but this node may have
   * nothing to write for long.
   */
  public void followed(Map<String, Optional<String>> changes) {
    CatalogStore.apply(changes, followed);
    // At once, also before the tables are shown: a server below the level has to stop.
    level.apply(changes);
    if (store.isPresent()) {
      identity.ifPresent(own -> own.confirmBehind(changes, store.get()));
    } else if (isCaughtUp) {
      applied(changes);
    }
  }

  /**
   * Throws unless no other node can have decided by now; a server without a cluster never throws.
   */
  public void confirm() throws IOException {
    if (identity.isPresent()) {
      identity.get().confirm(requireStore());
    }
  }

  /** The texts of {@link #followed} so far; for the control thread. */
  public Map<String, String> texts() {
    return Collections.unmodifiableMap(followed);
  }

  /**
   * This node has heard, by {@link #followed}, all writes before it last resigned or began. Does
   * nothing while this node leads.
   */
  public void caughtUp() {
    isCaughtUp = true;
    if (store.isEmpty()) {
      replace(followed);
    }
  }

  /** The store has learned that a write with an unknown outcome is stored. */
  public void applied(Map<String, Optional<String>> changes) {
    done.apply(changes);
    notes.apply(changes);
    grants.apply(changes);
    security.apply(changes);
    tables.apply(changes);
    rowSessions.apply(changes);
    level.apply(changes);
    Optional<String> count = changes.getOrDefault(Counters.NAME, Optional.empty());
    count.ifPresent(text -> count(Counters.in(Map.of(Counters.NAME, text))));
  }

  /** Counters never go back, whatever this node hears: no id is given twice. */
  private void count(Counters told) {
    if (told.covers(counters)) {
      counters = told;
    }
  }

  private void replace(Map<String, String> texts) {
    done.replace(texts);
    notes.replace(texts);
    texts.forEach((name, text) -> grants.apply(Map.of(name, Optional.of(text))));
    security.replace(texts);
    identity = CatalogIdentity.in(texts);
    tables.replace(texts);
    rowSessions.replace(texts);
    count(Counters.in(texts));
    level.replace(texts);
  }

  /** The greatest level that this node knows to be stored; any thread. */
  public int level() {
    return level.known();
  }

  /**
   * Raises the level; the caller has looked that every member serves it. Does nothing where the
   * level is as high already. A follower refuses.
   *
   * @throws IOException when the level is not stored, or the outcome is unknown; then {@link
   *     #applied} raises the level when it is stored after all
   */
  public void raise(int to) throws IOException {
    level.raise(requireStore(), to);
  }

  /** The identity of this catalog; absent while it was never led. For the control thread. */
  public Optional<CatalogIdentity> identity() {
    return identity;
  }

  /** Principals, keys, tokens and rights. */
  public SecurityRecords security() {
    return security;
  }

  /** The sessions that rows are bound to. */
  public RowSessionRecords rowSessions() {
    return rowSessions;
  }

  /** What principals use of their quotas. */
  public Holdings holdings() {
    return holdings;
  }

  /** Changes principals, keys, tokens or rights: all of the changes or none. */
  public void changeSecurity(Map<String, Optional<String>> changes) throws IOException {
    requireStore().write(changes);
    security.apply(changes);
  }

  /** Makes and verifies grants, which prove who holds a channel. */
  public ChannelGrants grants() {
    return grants;
  }

  /** Whether this node decides. */
  public boolean isLeading() {
    return store.isPresent();
  }

  /** The leader's store; a follower refuses. */
  CatalogStore requireStore() {
    return store.orElseThrow(
        () ->
            RefusedException.notLeader("this node does not decide about tables", Optional.empty()));
  }

  /**
   * The result of a request that was done before; for the creation or alteration of a table, the
   * table's id. A follower refuses.
   */
  public Optional<String> done(Asked asked) {
    var unused = requireStore();
    return done.result(asked);
  }

  /**
   * Adds tunnels that are kept in the same store, so that a table is dropped together with its
   * tunnels.
   */
  void share(TunnelCatalog tunnels) {
    sharer = Optional.of(tunnels);
  }

  /** Counts one more opening of the tunnels in the same store. */
  long countStart() throws IOException {
    Counters after = counters.withOneMoreStart();
    requireStore().write(after.change());
    counters = after;
    return after.starts();
  }

  /**
   * Begins an incarnation of this server's own logs, which is durable when this returns. Call it
   * when the logs are open, before any client is served.
   *
   * @param ends gives the position of a partition's last change
   */
  public Incarnations beginIncarnation(IntToLongFunction ends, long nowMs) throws IOException {
    return StoredIncarnations.begin(requireStore(), partitionIds(), ends, nowMs);
  }

  /** Whether a table with this id existed once, and was dropped. */
  public boolean isDropped(int tableId) {
    return tableId <= counters.tables()
        && tables.byId(tableId).isEmpty()
        && !notes.isPassed(tableId);
  }

  /** All tables by name. */
  public Collection<TableRecord> tables() {
    return tables.byName().values();
  }

  /** The table of that name. */
  public TableRecord table(String name) {
    TableRecord table = tables.byName().get(name);
    if (table == null) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "there is no table '"
              + name
              + "'; the tables are "
              + Names.listed(tables.byName().keySet()));
    }
    return table;
  }

  /** The table with this id, if it exists. */
  public Optional<TableRecord> find(int tableId) {
    return tables.byId(tableId);
  }

  /** The table of that id. */
  public TableRecord table(int tableId) {
    return find(tableId)
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "there is no table with id " + tableId + "; it may have been dropped"));
  }

  /** The table that a partition belongs to. */
  public TableRecord tableOfPartition(int partition) {
    return tables
        .byPartition(partition)
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "there is no partition " + partition + "; its table may have been dropped"));
  }

  /** Key and options of the rows of a partition; empty without the partition. For any thread. */
  public Optional<TableMeta> meta(int partition) {
    return tables.byPartition(partition).map(TableRecord::meta);
  }

  /** Whether a partition of that id exists. */
  public boolean hasPartition(int partition) {
    return tables.byPartition(partition).isPresent();
  }

  /**
   * Whether a partition with this id existed once, and was dropped. The answer is certain on
   * leaders and followers: a catalog counts partitions after it has their tables, and gives no id
   * twice.
   */
  public boolean isDroppedPartition(int partition) {
    return partition <= counters.partitions() && !hasPartition(partition);
  }

  /** The highest partition id that was given; any thread. */
  public int lastPartition() {
    return counters.partitions();
  }

  /** A copy of the ids of all existing partitions. */
  public Set<Integer> partitionIds() {
    return tables.partitions();
  }

  /** Creates a table with a partition before, between and after {@code splitPoints}. */
  public TableRecord createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints, long nowMs)
      throws IOException {
    return createTable(planTable(meta, splitPoints, nowMs), Asked.NAMELESS);
  }

  /** Plans a table with the next ids. */
  public TableRecord planTable(TableMeta meta, List<PrimaryKeyValue> splitPoints, long nowMs) {
    return planTable(meta, splitPoints, nowMs, 0, Optional.empty());
  }

  /**
   * Plans a table with a higher id than the next.
   *
   * @param skipped number of table ids to skip; no table ever gets them
   * @param creator the creating principal, if known
   */
  public TableRecord planTable(
      TableMeta meta,
      List<PrimaryKeyValue> splitPoints,
      long nowMs,
      int skipped,
      Optional<String> creator) {
    requireStore();
    requireFree(meta.name());
    List<PartitionRecord> partitions =
        SplitPoints.partitions(
            meta.primaryKey().get(0).type(), splitPoints, counters.partitions() + 1);
    limits().requireTable(tables.byName().size(), tables.partitions().size(), partitions.size());
    TableRecord planned =
        new TableRecord(counters.tables() + 1 + skipped, meta, nowMs, partitions)
            .createdBy(creator);
    holdings.requireRoom(planned);
    return planned;
  }

  private void requireFree(String table) {
    if (tables.byName().containsKey(table)) {
      throw new RefusedException(
          ErrorCode.TABLE_EXISTS,
          "a table '" + table + "' exists; drop it first or choose another name");
    }
  }

  /**
   * Creates a planned table.
   *
   * @throws RefusedException BUSY when another table got the planned ids in between
   */
  public TableRecord createTable(TableRecord planned, Asked asked) throws IOException {
    CatalogStore leading = requireStore();
    requireFree(planned.meta().name());
    if (planned.tableId() <= counters.tables()
        || planned.partitions().get(0).id() != counters.partitions() + 1) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "another table was created before table '" + planned.meta().name() + "'; try again");
    }
    Counters after =
        new Counters(
            planned.tableId(),
            counters.partitions() + planned.partitions().size(),
            counters.starts());
    Map<String, Optional<String>> changes = new HashMap<>(after.change());
    changes.putAll(TableRecords.creation(planned));
    changes.putAll(TableIdNotes.passing(counters.tables(), planned.tableId()));
    changes.putAll(done.noting(asked, Integer.toString(planned.tableId())));
    leading.write(changes);
    done.apply(changes);
    notes.apply(changes);
    tables.put(planned);
    counters = after;
    return planned;
  }

  /** Gives a table other options. */
  public TableRecord alterTable(TableRecord table, TableOptions options, Asked asked)
      throws IOException {
    return alterTable(table.altered(options), asked);
  }

  /** Alters a table of a shared log: a longer retention applies to changes since {@code nowMs}. */
  public TableRecord alterTable(TableRecord table, TableOptions options, long nowMs, Asked asked)
      throws IOException {
    return alterTable(table.altered(options, nowMs), asked);
  }

  private TableRecord alterTable(TableRecord altered, Asked asked) throws IOException {
    Map<String, Optional<String>> changes = new HashMap<>(tables.rewriting(altered));
    changes.putAll(done.noting(asked, Integer.toString(altered.tableId())));
    requireStore().write(changes);
    done.apply(changes);
    tables.put(altered);
    return altered;
  }

  /** Drops a table whose log is this server's own. */
  public void dropTable(TableRecord table, Asked asked) throws IOException {
    dropTable(table, false, asked);
  }

  /**
   * Drops a table and, in the same write, its tunnels in the same store. Its tunnels in other
   * stores become {@linkplain TunnelCatalog#orphans orphans}.
   *
   * @param isLogShared whether the table leaves a log, which is then one of {@link #droppedLogs}
   */
  public void dropTable(TableRecord table, boolean isLogShared, Asked asked) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>(TableRecords.removal(table));
    sharer.ifPresent(tunnels -> changes.putAll(tunnels.removalOf(table)));
    if (isLogShared) {
      changes.putAll(TableIdNotes.dropping(table));
    }
    changes.putAll(done.noting(asked, ""));
    requireStore().write(changes);
    done.apply(changes);
    notes.apply(changes);
    sharer.ifPresent(tunnels -> tunnels.applied(changes));
    tables.remove(table.tableId());
  }

  /** Logs of dropped tables that may still exist. No other log may ever be deleted. */
  public List<DroppedLog> droppedLogs() {
    return notes.droppedLogs();
  }

  /** Removes the note of a dropped table's log, which was deleted. Does nothing on a follower. */
  public void logDeleted(DroppedLog log) throws IOException {
    if (store.isEmpty()) {
      return;
    }
    Map<String, Optional<String>> changes = TableIdNotes.deleting(log);
    store.get().write(changes);
    notes.apply(changes);
  }
}
