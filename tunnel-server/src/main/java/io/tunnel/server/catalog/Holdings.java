package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Counts the tables, tunnels and sessions of principals, and the tunnels and sessions of tables,
 * and refuses more than a quota allows. A table or tunnel counts for the principal that created it;
 * one without a creator, made without authentication, counts for none. Existing ones stay when a
 * quota is lowered.
 *
 * <p>This object counts sessions under its monitor, and takes only the snapshot under the monitor;
 * tables and tunnels are counted from the records at each question. Safe for use by any thread.
 */
public final class Holdings {

  private final TableRecords tables;
  private final SecurityRecords security;

  /** By principal's name and by table's subject; no count is 0. */
  private final Map<String, Integer> sessionsBySubject = new HashMap<>();

  /**
   * Tables of one principal.
   *
   * @param partitions partitions of all these tables
   */
  public record OfTables(int tables, int partitions) {
    /** None. */
    public static final OfTables NONE = new OfTables(0, 0);

    private OfTables plus(TableRecord table) {
      return new OfTables(tables + 1, partitions + table.partitions().size());
    }
  }

  private volatile Predicate<Principal> exempt = anybody -> false;

  Holdings(TableRecords tables, SecurityRecords security) {
    this.tables = tables;
    this.security = security;
  }

  /** By principal, its tables. */
  public Map<String, OfTables> tablesByCreator() {
    Map<String, OfTables> counts = new HashMap<>();
    for (TableRecord table : tables.byName().values()) {
      table
          .creator()
          .ifPresent(
              creator ->
                  counts.put(creator, counts.getOrDefault(creator, OfTables.NONE).plus(table)));
    }
    return counts;
  }

  /** By principal, and by table as {@code table:NAME}, the number of sessions. */
  public synchronized Map<String, Integer> sessionsBySubject() {
    return new HashMap<>(sessionsBySubject);
  }

  /**
   * Leaves principals out of all quotas, of their own and of tables.
   *
   * @param who whether no quota binds a principal
   */
  public void exempt(Predicate<Principal> who) {
    exempt = who;
  }

  private boolean isBound(String principal) {
    return !principal.isEmpty() && !exempt.test(new Principal(principal));
  }

  /** Refuses a table that exceeds its creator's quota of tables or partitions. */
  void requireRoom(TableRecord planned) {
    if (planned.creator().filter(this::isBound).isEmpty()) {
      return;
    }
    String creator = planned.creator().get();
    int partitions = planned.partitions().size();
    Quota.Counts ofTable = countsOfTable(planned.meta().name());
    require(
        "table '" + planned.meta().name() + "'", 0, partitions, "partitions", ofTable.partitions());
    Quota.Counts own = counts(creator);
    if (own.tables().isPresent() || own.partitions().isPresent()) {
      OfTables now = tablesByCreator().getOrDefault(creator, OfTables.NONE);
      require(quoted(creator), now.tables(), 1, "tables", own.tables());
      require(quoted(creator), now.partitions(), partitions, "partitions", own.partitions());
    }
  }

  /**
   * Refuses a tunnel that exceeds the quota of its creator or of its table.
   *
   * @param ofTable present tunnels of the table
   * @param ofCreator counts the creator's present tunnels in the same store
   */
  void requireTunnel(Optional<String> creator, String table, int ofTable, LongSupplier ofCreator) {
    if (creator.filter(this::isBound).isEmpty()) {
      return;
    }
    require("table '" + table + "'", ofTable, 1, "tunnels", countsOfTable(table).tunnels());
    Optional<Integer> most = counts(creator.get()).tunnels();
    if (most.isPresent()) {
      require(quoted(creator.get()), ofCreator.getAsLong(), 1, "tunnels", most);
    }
  }

  /**
   * A session begins.
   *
   * @param principal the session's principal; empty, and not counted, where clients do not
   *     authenticate
   * @throws RefusedException LIMIT_REACHED when the principal or the table has used up its quota
   */
  public synchronized void openSession(String principal, String table) {
    if (!principal.isEmpty()) {
      String ofTable = Quota.subjectOf(table);
      if (isBound(principal)) {
        requireSession(principal, table);
      }
      sessionsBySubject.merge(principal, 1, Integer::sum);
      sessionsBySubject.merge(ofTable, 1, Integer::sum);
    }
  }

  private void requireSession(String principal, String table) {
    int open = sessions(Quota.subjectOf(table));
    require(quoted(principal), sessions(principal), 1, "sessions", counts(principal).sessions());
    require("table '" + table + "'", open, 1, "sessions", countsOfTable(table).sessions());
  }

  /** A session that has begun ends. */
  public synchronized void closeSession(String principal, String table) {
    if (!principal.isEmpty()) {
      less(principal);
      less(Quota.subjectOf(table));
    }
  }

  private void less(String subject) {
    sessionsBySubject.computeIfPresent(subject, (unused, open) -> open > 1 ? open - 1 : null);
  }

  private int sessions(String subject) {
    return sessionsBySubject.getOrDefault(subject, 0);
  }

  private Quota.Counts counts(String principal) {
    return snapshot().quota(new Principal(principal)).counts();
  }

  private Quota.Counts countsOfTable(String table) {
    return snapshot().tableQuota(table).counts();
  }

  private SecuritySnapshot snapshot() {
    return security.snapshot();
  }

  private static String quoted(String principal) {
    return "'" + principal + "'";
  }

  private static void require(
      String who, long present, long added, String what, Optional<Integer> most) {
    if (most.isPresent() && present + added > most.get()) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          who
              + " has "
              + present
              + " "
              + what
              + ", and "
              + added
              + " more would be over its quota ("
              + what
              + "="
              + most.get()
              + "); end unused ones, or ask for a higher quota");
    }
  }
}
