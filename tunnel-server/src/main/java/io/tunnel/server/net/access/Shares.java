package io.tunnel.server.net.access;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Holdings;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The use of quotas by principals and tables on this server: above a rate the caller waits, above a
 * count the request is refused. Nothing is kept without authentication, or for subjects without a
 * quota. No quota binds the fixed administrators; what they use of a table counts for the other
 * users of the table. For any thread.
 *
 * <p>The monitor guards all state; no other object is called under it.
 */
public final class Shares {

  /** Quotas with figures. */
  static final int QUOTAS_MAX = 1_000;

  private static final String REQUESTS = "requests";

  private final Gate gate;
  private final Map<String, Taken> takenBySubject = new HashMap<>();
  private final Budget<Principal> connections = new Budget<>(Budget.UNBOUNDED);
  private final FreeShare held = new FreeShare(HeldRights.RIGHTS_MAX);
  private final PrincipalFigures figures;
  private long seenVersion;

  /** The kinds of use of rows. */
  public enum Use {
    /** Rows are written. */
    WRITTEN,
    /** Changes and rows are delivered. */
    DELIVERED,
    /** Rows are read. */
    READ
  }

  /** The rates of one subject, each created at its first use. */
  private static final class Taken {
    private final Map<String, QuotaCore> coreByLimit = new HashMap<>();

    long take(String limit, Optional<Long> perSecond, long amount, long nowNanos) {
      if (perSecond.isEmpty()) {
        coreByLimit.remove(limit);
        return 0;
      }
      QuotaCore core =
          coreByLimit.computeIfAbsent(limit, unused -> new QuotaCore(perSecond.get(), nowNanos));
      core.change(perSecond.get());
      return core.take(amount, nowNanos);
    }

    long owed(String limit, Optional<Long> perSecond, long nowNanos) {
      QuotaCore core = coreByLimit.get(limit);
      return core == null || perSecond.isEmpty() ? 0 : core.delayNanos(nowNanos);
    }
  }

  /**
   * The shares of the principals of a gate.
   *
   * @param principalMetricsMax principals with figures of their own
   */
  public Shares(Gate gate, int principalMetricsMax) {
    this.gate = gate;
    this.figures = new PrincipalFigures(principalMetricsMax);
  }

  /** The rights that connections note. */
  FreeShare held() {
    return held;
  }

  /** Refusals and throttling of principals. */
  public PrincipalFigures figures() {
    return figures;
  }

  /** A request of the caller was refused. */
  public void refused(Caller caller, ErrorCode code) {
    caller.principal().ifPresent(principal -> figures.refused(principal.name(), code));
  }

  /**
   * The use of principals' quotas, of {@value #QUOTAS_MAX} quotas at most.
   *
   * @param holdings tables, partitions and sessions
   * @param tunnelsByCreator the number of tunnels by their creator
   */
  public List<QuotaUse> uses(Holdings holdings, Map<String, Integer> tunnelsByCreator) {
    if (gate.isOpen()) {
      return List.of();
    }
    Map<String, Holdings.OfTables> tables = holdings.tablesByCreator();
    Map<String, Integer> sessions = holdings.sessionsBySubject();
    List<QuotaUse> uses = new ArrayList<>();
    gate.rights()
        .quotas("", QUOTAS_MAX, one -> !one.subject().startsWith("table:"))
        .forEach(
            one -> {
              String who = one.subject();
              Quota.Counts counts = one.quota().counts();
              Holdings.OfTables own = tables.getOrDefault(who, Holdings.OfTables.NONE);
              int connected = (int) connections.of(new Principal(who));
              add(uses, who, "connections", connected, counts.connections());
              add(uses, who, "sessions", sessions.getOrDefault(who, 0), counts.sessions());
              add(uses, who, "tunnels", tunnelsByCreator.getOrDefault(who, 0), counts.tunnels());
              add(uses, who, "tables", own.tables(), counts.tables());
              add(uses, who, "partitions", own.partitions(), counts.partitions());
            });
    return figures.bounded(uses);
  }

  private static void add(
      List<QuotaUse> uses, String who, String limit, int used, Optional<Integer> most) {
    most.ifPresent(allowed -> uses.add(new QuotaUse(who, limit, used, allowed)));
  }

  /**
   * A connection of the caller begins.
   *
   * @throws RefusedException LIMIT_REACHED when the caller has as many as its quota allows
   */
  public void enter(Caller caller) {
    Optional<Principal> principal = caller.principal();
    Optional<Integer> most = quota(caller).flatMap(quota -> quota.counts().connections());
    if (principal.isPresent()
        && !connections.tryTake(
            principal.get(), 1, most.map(Long::valueOf).orElse(Budget.UNBOUNDED))) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "'"
              + caller.name()
              + "' has "
              + connections.of(principal.get())
              + " connections to this server, as many as its quota allows (connections="
              + most.orElseThrow()
              + "); close some, or have it raised");
    }
  }

  /** A connection that has begun ends. */
  public void leave(Caller caller) {
    caller.principal().ifPresent(principal -> connections.give(principal, 1));
  }

  /** Counts a request; returns the nanoseconds that the next request must wait. */
  public long request(Caller caller) {
    Optional<Quota> quota = quota(caller);
    return quota.isEmpty()
        ? 0
        : slowed(caller, take(caller.name(), REQUESTS, quota.get().requestsPerSecond(), 1));
  }

  private long slowed(Caller caller, long delayNanos) {
    if (delayNanos > 0) {
      figures.slowed(caller.name(), delayNanos);
    }
    return delayNanos;
  }

  private Optional<Quota> quota(Caller caller) {
    return caller
        .principal()
        .filter(principal -> !gate.isAdministrator(principal))
        .map(principal -> gate.rights().quota(principal))
        .filter(quota -> !quota.equals(Quota.NONE));
  }

  /**
   * Counts rows of a table.
   *
   * @param rows the number of rows
   * @param bytes bytes of all rows
   * @return the nanoseconds that the next use must wait
   */
  public long use(Caller caller, String table, Use use, long rows, long bytes) {
    if (gate.isOpen()) {
      return 0;
    }
    long own = quota(caller).map(quota -> use(caller.name(), quota, use, rows, bytes)).orElse(0L);
    Quota ofTable = gate.rights().tableQuota(table);
    long delayNanos =
        ofTable.equals(Quota.NONE)
            ? own
            : Math.max(own, use("table:" + table, ofTable, use, rows, bytes));
    return caller.mayDoEverything() ? 0 : slowed(caller, delayNanos);
  }

  private long use(String subject, Quota quota, Use use, long rows, long bytes) {
    Quota.Rates rates = rates(quota, use);
    return Math.max(
        take(subject, rowsOf(use), rates.rowsPerSecond(), rows),
        take(subject, bytesOf(use), rates.bytesPerSecond(), bytes));
  }

  private static Quota.Rates rates(Quota quota, Use use) {
    return switch (use) {
      case WRITTEN -> quota.written();
      case DELIVERED -> quota.delivered();
      case READ -> quota.read();
    };
  }

  private static String rowsOf(Use use) {
    return use + " rows";
  }

  private static String bytesOf(Use use) {
    return use + " bytes";
  }

  /** Nanoseconds until the caller may make a request, by its requests on all connections. */
  public long owedBeforeRequests(Caller caller) {
    return quota(caller)
        .map(quota -> owed(caller.name(), REQUESTS, quota.requestsPerSecond()))
        .orElse(0L);
  }

  /**
   * Nanoseconds until the caller may use rows of {@code table} so, by what it has used on all
   * connections, and by what all users have used of the table. A caller without the right hears
   * nothing of the table: its request is refused when it is served.
   */
  public long owedBefore(Caller caller, String table, Use use) {
    if (gate.isOpen() || caller.mayDoEverything()) {
      return 0;
    }
    long owedNanos =
        Math.max(
            owedBefore(caller, use), owed("table:" + table, gate.rights().tableQuota(table), use));
    Right right = use == Use.WRITTEN ? Right.WRITE : Right.READ;
    return owedNanos == 0 || caller.may(right, table) ? owedNanos : 0;
  }

  /** Whether a quota limits what the caller reads of {@code table}. */
  public boolean limitsReads(Caller caller, String table) {
    return !gate.isOpen()
        && !caller.mayDoEverything()
        && (quota(caller).map(quota -> limits(quota.read())).orElse(false)
            || limits(gate.rights().tableQuota(table).read()));
  }

  private static boolean limits(Quota.Rates rates) {
    return rates.rowsPerSecond().isPresent() || rates.bytesPerSecond().isPresent();
  }

  /** Nanoseconds until the caller may be sent deliveries; debts of tables are not included. */
  public long owedBeforeDeliveries(Caller caller) {
    return owedBefore(caller, Use.DELIVERED);
  }

  private long owedBefore(Caller caller, Use use) {
    return quota(caller).map(quota -> owed(caller.name(), quota, use)).orElse(0L);
  }

  private long owed(String subject, Quota quota, Use use) {
    Quota.Rates rates = rates(quota, use);
    return Math.max(
        owed(subject, rowsOf(use), rates.rowsPerSecond()),
        owed(subject, bytesOf(use), rates.bytesPerSecond()));
  }

  private synchronized long owed(String subject, String limit, Optional<Long> perSecond) {
    forgetOthers();
    Taken taken = takenBySubject.get(subject);
    return taken == null
        ? 0
        : taken.owed(limit, perSecond, gate.guard().orElseThrow().nanos().getAsLong());
  }

  private synchronized long take(
      String subject, String limit, Optional<Long> perSecond, long amount) {
    forgetOthers();
    long nowNanos = gate.guard().orElseThrow().nanos().getAsLong();
    return takenBySubject
        .computeIfAbsent(subject, unused -> new Taken())
        .take(limit, perSecond, amount, nowNanos);
  }

  /** Forgets subjects without a quota, so that there are at most as many as quotas. */
  private void forgetOthers() {
    SecuritySnapshot now = gate.rights();
    if (now.version() != seenVersion) {
      seenVersion = now.version();
      takenBySubject.keySet().removeIf(subject -> hasNone(now, subject));
    }
  }

  private static boolean hasNone(SecuritySnapshot now, String subject) {
    return subject.startsWith("table:")
        ? now.tableQuota(subject.substring("table:".length())).equals(Quota.NONE)
        : now.quota(new Principal(subject)).equals(Quota.NONE);
  }
}
