package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.PassingTap;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Sees the writes of principals that have a quota of written rows, and the answers. Each server
 * counts for itself, from its start. A server admits a write while the principal owes at most the
 * burst: the rows of applied writes that arrived since any time are bounded by the rate, a burst of
 * one second and one write. A server refuses a write only when the principal itself owes more.
 *
 * <p>A server charges a write at some time between its arrival and its answer. So the applied rows
 * are counted from their arrival on, and the largest possible debt takes each charge as late as
 * possible.
 */
public final class QuotaTruth extends PassingTap {

  /** A write is admitted or refused sooner, or its connection is gone. */
  private static final long PENDING_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final long SLOWED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final String BY_QUOTA = "by their quotas of rows and bytes written";

  private final SimNetwork network;
  private final LongSupplier nanos;
  private final Consumer<Did> counts;
  private final Map<String, Bound> bounds = new HashMap<>();

  /** What a quota has done to a write. */
  public enum Did {
    SLOWED,
    REFUSED
  }

  /** A debt of rows, which is paid at the rate. */
  private static final class Debt {
    private final long perSecond;
    private double rows;
    private long nanos;

    Debt(long perSecond) {
      this.perSecond = perSecond;
    }

    double at(long nowNanos) {
      return Math.max(0, rows - perSecond * (nowNanos - nanos) / 1e9);
    }

    void take(double amount, long nowNanos) {
      rows = at(nowNanos) + amount;
      nanos = nowNanos;
    }
  }

  /** A write that a server has received. */
  private record Pending(SimConnection connection, int correlationId) {}

  private record Asked(int rows, long nanos) {}

  /** A charge that the server has made by a time. */
  private record Charge(int rows, long nanos) {}

  /** The quota of a principal, and the writes of the principal to each running server. */
  private static final class Bound {
    private final long perSecond;
    private final Map<SimProcess, Account> accounts = new HashMap<>();

    Bound(long perSecond) {
      this.perSecond = perSecond;
    }

    Account at(SimProcess server) {
      accounts.keySet().removeIf(each -> !each.isAlive());
      return accounts.computeIfAbsent(server, any -> new Account(perSecond));
    }
  }

  /** The writes of a principal to a server. */
  private static final class Account {
    private final long perSecond;
    private final Map<Pending, Asked> pending = new LinkedHashMap<>();
    private final List<Charge> charges = new ArrayList<>();

    /** The rows of applied writes, by the arrival of the writes. */
    private final TreeMap<Long, Integer> applied = new TreeMap<>();

    private int largest;

    Account(long perSecond) {
      this.perSecond = perSecond;
    }

    /** The largest debt that the server may have noted. */
    double most(long nowNanos) {
      List<Charge> all = new ArrayList<>(charges);
      for (Asked asked : pending.values()) {
        // Of a write that is never answered, too: the debt may have grown on top of it ever since.
        all.add(new Charge(asked.rows(), Math.min(nowNanos, asked.nanos() + PENDING_NANOS_MAX)));
      }
      all.sort(Comparator.comparingLong(Charge::nanos));
      Debt most = new Debt(perSecond);
      all.forEach(charge -> most.take(charge.rows(), charge.nanos()));
      return most.at(nowNanos);
    }
  }

  /**
   * In front of another tap.
   *
   * @param counts is told what quotas do
   */
  public QuotaTruth(
      SimNetwork.Tap next, SimNetwork network, LongSupplier nanos, Consumer<Did> counts) {
    super(next);
    this.network = network;
    this.nanos = nanos;
    this.counts = counts;
  }

  /** The principal may write so many rows a second from now on. */
  public void bound(String principal, long rowsPerSecond) {
    bounds.put(principal, new Bound(rowsPerSecond));
  }

  private Optional<String> principal(SimConnection connection) {
    return network.keys().who(connection.client()).map(came -> came.principal());
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    if (connection.isServer(to) && frame.operation() == Operation.WRITE) {
      int rows = WriteRequest.decode(frame.payload()).batch().rowCount();
      principal(connection)
          .map(bounds::get)
          .ifPresent(
              bound ->
                  account(bound, connection)
                      .pending
                      .put(
                          new Pending(connection, frame.correlationId()),
                          new Asked(rows, nanos.getAsLong())));
    }
    super.received(connection, to, frame);
  }

  private static Account account(Bound bound, SimConnection connection) {
    return bound.at(connection.server().loop().thread().process());
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    if (connection.isServer(from) && frame.operation() == Operation.WRITE) {
      Optional<String> who = principal(connection);
      boolean isRefused =
          frame.kind() == FrameKind.ERROR && isByQuota(ErrorPayload.decode(frame.payload()));
      Optional<Bound> known = who.map(bounds::get);
      Invariant.QUOTAS_HOLD.require(
          !isRefused || known.isPresent(), "%s is refused and has no quota", who);
      known.ifPresent(
          bound -> {
            Account of = account(bound, connection);
            Asked asked = of.pending.remove(new Pending(connection, frame.correlationId()));
            if (isRefused) {
              refused(who.orElseThrow(), of);
            } else if (asked != null) {
              answered(who.orElseThrow(), of, asked, frame.kind() == FrameKind.RESPONSE);
            }
          });
    }
    super.sent(connection, from, frame);
  }

  private static boolean isByQuota(ErrorPayload error) {
    return error.code() == ErrorCode.BUSY && error.message().contains(BY_QUOTA);
  }

  private void refused(String who, Account of) {
    counts.accept(Did.REFUSED);
    double most = of.most(nanos.getAsLong());
    Invariant.QUOTAS_HOLD.require(
        most > of.perSecond,
        "%s is refused, and owes %.1f rows at most of %d a second",
        who,
        most,
        of.perSecond);
  }

  private void answered(String who, Account of, Asked asked, boolean isDone) {
    long now = nanos.getAsLong();
    if (now - asked.nanos() > SLOWED_NANOS) {
      counts.accept(Did.SLOWED);
    }
    of.charges.add(new Charge(asked.rows(), now));
    if (isDone) {
      of.largest = Math.max(of.largest, asked.rows());
      of.applied.merge(asked.nanos(), asked.rows(), Integer::sum);
      requireBound(who, of, now);
    }
  }

  private static void requireBound(String who, Account of, long nowNanos) {
    long rows = 0;
    for (Map.Entry<Long, Integer> arrived : of.applied.descendingMap().entrySet()) {
      rows += arrived.getValue();
      double seconds = (nowNanos - arrived.getKey()) / 1e9;
      double allowed = of.perSecond * (1 + seconds) + of.largest;
      Invariant.QUOTAS_HOLD.require(
          rows <= allowed,
          "%s writes %d rows in %.3f s, more than %.1f of %d a second",
          who,
          rows,
          seconds,
          allowed,
          of.perSecond);
    }
  }
}
