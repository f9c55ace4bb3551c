package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.security.SecurityRecords;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which tables and partitions exist. Changes are for the control thread alone and are durable
 * before anybody can see them; reads are for any thread.
 *
 * <p>It leads or it follows. A leader has a store, and decides. A follower is told what another
 * node has stored, and refuses to decide; before it was told everything at least once, nothing
 * exists for it. The two change places by {@link #lead} and {@link #resign}, and all that a node
 * has of tables stays with this object meanwhile. What is followed is noted also while this node
 * leads, because what it wrote as the leader comes back to it, possibly when it leads no longer: a
 * former leader keeps what it has until {@link #caughtUp}, so nothing that it was told to be stored
 * ever disappears for a while.
 *
 * <p>The store belongs to the part that made it, which also closes it.
 */
public final class Catalog {

  private static final Logger LOGGER = LoggerFactory.getLogger(Catalog.class);

  private final TableRecords tables = new TableRecords();
  private final DoneRequests done = new DoneRequests("request/");
  private final TableIdNotes notes = new TableIdNotes();
  private final ChannelGrants grants = new ChannelGrants();
  private final SecurityRecords security =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
  private final Holdings holdings = new Holdings(tables, security);

  /** The leader's texts, as far as this follower was told of them. */
  private final Map<String, String> followed = new TreeMap<>();

  private Optional<CatalogIdentity> identity = Optional.empty();
  private Optional<CatalogStore> store = Optional.empty();
  private Optional<TunnelCatalog> sharer = Optional.empty();
  private boolean isCaughtUp;
  private volatile Supplier<CatalogConfig> limits = () -> CatalogConfig.DEFAULT;

  /** Written behind the tables that they count: a table that is counted and missing is gone. */
  private volatile Counters counters = Counters.in(Map.of());

  /** Follows, and was told nothing yet. */
  public Catalog() {}

  /** Leads from the beginning, with what {@code store} keeps. */
  public Catalog(CatalogStore store) throws IOException {
    lead(store);
  }

  /** From now on nothing is created beyond {@code newLimits}, asked by the control thread. */
  public void limit(Supplier<CatalogConfig> newLimits) {
    limits = newLimits;
  }

  CatalogConfig limits() {
    return limits.get();
  }

  /** From now on is told what becomes of tables; not of those that there are. */
  public void listen(TableListener listener) {
    tables.listen(listener);
  }

  /**
   * From now on this node decides, beginning with what {@code store} keeps.
   *
   * @throws CatalogWentBackException when the store knows less than this node: it is not the one
   *     that this node has followed, and ids that it gives are those of other tables
   */
  public void lead(CatalogStore newStore) throws IOException {
    Map<String, String> texts = newStore.all();
    Counters stored = Counters.in(texts);
    if (!stored.covers(counters)) {
      throw new CatalogWentBackException(stored, counters);
    }
    replace(texts);
    store = Optional.of(newStore);
  }

  /**
   * From now on another node decides. What there is stays until this node has {@link #caughtUp}.
   */
  public void resign() {
    store = Optional.empty();
    isCaughtUp = false;
  }

  /**
   * Texts that the leader stored together, in the order in which they were stored. A leader that is
   * told of others than its own makes sure that it still is the leader: a node may have led for a
   * moment, and this one have heard nothing of it, because whatever it stores would tell it that,
   * but it may have nothing to store for long.
   */
  public void followed(Map<String, Optional<String>> changes) {
    CatalogStore.apply(changes, followed);
    if (store.isPresent()) {
      confirmBehind(changes, store.get());
    } else if (isCaughtUp) {
      applied(changes);
    }
  }

  /** Own texts come back too: at times when there are newer ones, and then it is asked in vain. */
  private void confirmBehind(Map<String, Optional<String>> changes, CatalogStore led) {
    try {
      for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
        if (!led.text(change.getKey()).equals(change.getValue())) {
          confirm();
          return;
        }
      }
    } catch (IOException e) {
      // Who is fenced is told by its store; who cannot tell is fenced by its next write.
      LOGGER.debug("it is not sure who writes the catalog", e);
    }
  }

  /** Throws unless it is certain that no other node decides by now, as it is without a cluster. */
  public void confirm() throws IOException {
    if (identity.isPresent()) {
      identity.get().confirm(requireStore());
    }
  }

  /**
   * This node was told by {@link #followed} everything that was stored before it last resigned, or
   * began. Nothing happens when it leads.
   */
  public void caughtUp() {
    isCaughtUp = true;
    if (store.isEmpty()) {
      replace(followed);
    }
  }

  /**
   * The leader's store has come to know that these are stored, of a write of which that was not
   * known when it failed.
   */
  public void applied(Map<String, Optional<String>> changes) {
    done.apply(changes);
    notes.apply(changes);
    grants.apply(changes);
    security.apply(changes);
    tables.apply(changes);
    Optional<String> count = changes.getOrDefault(Counters.NAME, Optional.empty());
    count.ifPresent(text -> count(Counters.in(Map.of(Counters.NAME, text))));
  }

  /** What was counted once stays counted, whatever is told: an id is never given twice. */
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
    count(Counters.in(texts));
  }

  /** Which catalog this is; nothing while it was never led. On the control thread. */
  public Optional<CatalogIdentity> identity() {
    return identity;
  }

  /** Who may come, and what they may do. */
  public SecurityRecords security() {
    return security;
  }

  /** What principals have, and may have at most. */
  public Holdings holdings() {
    return holdings;
  }

  /** Changes who may come, or what they may do: all of it or nothing. */
  public void changeSecurity(Map<String, Optional<String>> changes) throws IOException {
    requireStore().write(changes);
    security.apply(changes);
  }

  /** Proves who holds channels. */
  public ChannelGrants grants() {
    return grants;
  }

  /** Whether this node decides. */
  public boolean isLeading() {
    return store.isPresent();
  }

  /** The store, of the leader. */
  CatalogStore requireStore() {
    return store.orElseThrow(
        () ->
            RefusedException.notLeader("this node does not decide about tables", Optional.empty()));
  }

  /**
   * What came of a request that was done already: of one that created or altered a table, its id.
   * Only who decides can say so.
   */
  public Optional<String> done(Asked asked) {
    var unused = requireStore();
    return done.result(asked);
  }

  /** Tunnels that are kept in the same store: those of a table are dropped with it. */
  void share(TunnelCatalog tunnels) {
    sharer = Optional.of(tunnels);
  }

  /** Counts one more opening of tunnels that are kept in the same store. */
  long countStart() throws IOException {
    Counters after = counters.withOneMoreStart();
    requireStore().write(after.change());
    counters = after;
    return after.starts();
  }

  /**
   * Begins an incarnation of the logs that are this server's alone; durable when this returns. To
   * be called when they are open, before anybody is served.
   *
   * @param ends the position of the last change of a partition
   */
  public Incarnations beginIncarnation(IntToLongFunction ends, long nowMs) throws IOException {
    return StoredIncarnations.begin(requireStore(), partitionIds(), ends, nowMs);
  }

  /** Whether a table of that id existed once, and does no longer. */
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

  /** The table of that id, if there is one. */
  public Optional<TableRecord> find(int tableId) {
    return tables.byId(tableId);
  }

  /** The table of that id. */
  public TableRecord table(int tableId) {
    return tables
        .byId(tableId)
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

  /** Whether a partition of that id exists. */
  public boolean hasPartition(int partition) {
    return tables.byPartition(partition).isPresent();
  }

  /**
   * Whether a partition of that id existed once, and does no longer. The answer is certain on a
   * leader and on a follower: partitions are counted behind their tables, and no id is given twice.
   */
  public boolean isDroppedPartition(int partition) {
    return partition <= counters.partitions() && !hasPartition(partition);
  }

  /** The highest id that was given to a partition; any thread. */
  public int lastPartition() {
    return counters.partitions();
  }

  /** The partitions that exist at this moment: a copy. */
  public Set<Integer> partitionIds() {
    return tables.partitions();
  }

  /** Creates a table with a partition before, between and behind {@code splitPoints}. */
  public TableRecord createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints, long nowMs)
      throws IOException {
    return createTable(planTable(meta, splitPoints, nowMs), Asked.NAMELESS);
  }

  /** A table as it would be created now. */
  public TableRecord planTable(TableMeta meta, List<PrimaryKeyValue> splitPoints, long nowMs) {
    return planTable(meta, splitPoints, nowMs, 0, Optional.empty());
  }

  /**
   * Plans a table with a higher id than the next.
   *
   * @param skipped ids that are given to no table, now or later
   * @param creator the principal that creates it, if it is known
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
    CatalogConfig now = limits();
    Room.require(tables.byName().size(), 1, now.tablesMax(), "tables", "tablesMax");
    Room.require(
        tables.partitions().size(),
        partitions.size(),
        now.partitionsMax(),
        "partitions",
        "partitionsMax");
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
   * Creates a table as it was planned.
   *
   * @throws RefusedException BUSY when its ids were given to another table since
   */
  public TableRecord createTable(TableRecord planned, Asked asked) throws IOException {
    CatalogStore leading = requireStore();
    requireFree(planned.meta().name());
    if (planned.tableId() <= counters.tables()
        || planned.partitions().get(0).id() != counters.partitions() + 1) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "another table was created before table '"
              + planned.meta().name()
              + "' could be; try again");
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

  /** Gives a table other options, for all that is done from now on. */
  public TableRecord alterTable(TableRecord table, TableOptions options, Asked asked)
      throws IOException {
    return alterTable(table.altered(altered(table, options)), asked);
  }

  /** Alters a table whose log is shared: it keeps what it has at {@code nowMs}, not more. */
  public TableRecord alterTable(TableRecord table, TableOptions options, long nowMs, Asked asked)
      throws IOException {
    return alterTable(table.altered(altered(table, options), nowMs), asked);
  }

  private static TableMeta altered(TableRecord table, TableOptions options) {
    return new TableMeta(table.meta().name(), table.meta().primaryKey(), options);
  }

  private TableRecord alterTable(TableRecord altered, Asked asked) throws IOException {
    Map<String, Optional<String>> changes = new HashMap<>(TableRecords.creation(altered));
    changes.putAll(done.noting(asked, Integer.toString(altered.tableId())));
    requireStore().write(changes);
    done.apply(changes);
    tables.put(altered);
    return altered;
  }

  /** The origin of a table's log, which the table has not noted yet. */
  public void noteOrigin(TableRecord table, Bytes origin) throws IOException {
    TableRecord noted = table.withOrigin(Optional.of(origin));
    requireStore().write(TableRecords.creation(noted));
    tables.put(noted);
  }

  /** Drops a table whose log is this server's own. */
  public void dropTable(TableRecord table, Asked asked) throws IOException {
    dropTable(table, false, asked);
  }

  /**
   * Drops a table, and with it, in the same write, those of its tunnels that are kept in the same
   * store. Tunnels in other stores become {@linkplain TunnelCatalog#orphans orphans}.
   *
   * @param isLogShared whether it leaves a log, which is then one of {@link #droppedLogs}
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

  /** Logs of dropped tables that may still be there: no others may ever be deleted. */
  public List<DroppedLog> droppedLogs() {
    return notes.droppedLogs();
  }

  /** The log of a dropped table is deleted. Nothing happens when this node does not lead. */
  public void logDeleted(DroppedLog log) throws IOException {
    if (store.isEmpty()) {
      return;
    }
    Map<String, Optional<String>> changes = TableIdNotes.deleting(log);
    store.get().write(changes);
    notes.apply(changes);
  }
}
