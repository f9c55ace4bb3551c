package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Sees the writes of principals that have a quota of written rows, and the answers. A server admits
 * a write while the principal owes nothing: the rows that it answers in any time are bounded by the
 * rate, a burst and one write. It refuses a write only when the principal itself owes.
 *
 * <p>A server charges a write at some moment between its arrival and its answer. So two debts are
 * kept: one that is never above the server's, and one that is never below.
 */
public final class QuotaTruth implements SimNetwork.Tap {

  /** A server answers a write that it has admitted sooner. */
  private static final long ANSWER_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

  /** A write is admitted or refused sooner, or its connection is gone. */
  private static final long PENDING_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final long SLOWED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final String BY_QUOTA = "by their quotas of rows and bytes written";

  private final SimNetwork.Tap next;
  private final SimNetwork network;
  private final LongSupplier nanos;
  private final IntSupplier server;
  private final Consumer<Did> counts;
  private final Map<String, Bound> bounds = new HashMap<>();
  private int lastServer;

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

  /** The quota of a principal, and what the server in office has answered under it. */
  private static final class Bound {
    private final long perSecond;
    private final Map<Pending, Asked> pending = new LinkedHashMap<>();
    private final List<Charge> charges = new ArrayList<>();
    private Debt least;
    private int largest;

    Bound(long perSecond) {
      this.perSecond = perSecond;
      forget();
    }

    void forget() {
      pending.clear();
      charges.clear();
      least = new Debt(perSecond);
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
   * @param server the number of the server in office: the debts end with it
   * @param counts is told what quotas do
   */
  public QuotaTruth(
      SimNetwork.Tap next,
      SimNetwork network,
      LongSupplier nanos,
      IntSupplier server,
      Consumer<Did> counts) {
    this.next = next;
    this.network = network;
    this.nanos = nanos;
    this.server = server;
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
      forgetFormer();
      int rows = WriteRequest.decode(frame.payload()).batch().rowCount();
      principal(connection)
          .map(bounds::get)
          .ifPresent(
              bound ->
                  bound.pending.put(
                      new Pending(connection, frame.correlationId()),
                      new Asked(rows, nanos.getAsLong())));
    }
    next.received(connection, to, frame);
  }

  private void forgetFormer() {
    if (server.getAsInt() != lastServer) {
      lastServer = server.getAsInt();
      bounds.values().forEach(Bound::forget);
    }
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    if (connection.isServer(from) && frame.operation() == Operation.WRITE) {
      forgetFormer();
      Optional<String> who = principal(connection);
      boolean isRefused =
          frame.kind() == FrameKind.ERROR && isByQuota(ErrorPayload.decode(frame.payload()));
      Optional<Bound> bound = who.map(bounds::get);
      Invariant.QUOTAS_HOLD.require(
          !isRefused || bound.isPresent(), "%s is refused and has no quota", who);
      bound.ifPresent(
          of -> {
            Asked asked = of.pending.remove(new Pending(connection, frame.correlationId()));
            if (isRefused) {
              refused(who.orElseThrow(), of);
            } else if (asked != null) {
              answered(who.orElseThrow(), of, asked, frame.kind() == FrameKind.RESPONSE);
            }
          });
    }
    next.sent(connection, from, frame);
  }

  private static boolean isByQuota(ErrorPayload error) {
    return error.code() == ErrorCode.BUSY && error.message().contains(BY_QUOTA);
  }

  private void refused(String who, Bound bound) {
    counts.accept(Did.REFUSED);
    double most = bound.most(nanos.getAsLong());
    Invariant.QUOTAS_HOLD.require(
        most > bound.perSecond,
        "%s is refused, and owes %.1f rows at most of %d a second",
        who,
        most,
        bound.perSecond);
  }

  private void answered(String who, Bound bound, Asked asked, boolean isDone) {
    long now = nanos.getAsLong();
    if (now - asked.nanos() > SLOWED_NANOS) {
      counts.accept(Did.SLOWED);
    }
    bound.charges.add(new Charge(asked.rows(), now));
    if (isDone) {
      bound.largest = Math.max(bound.largest, asked.rows());
      double owed = bound.least.at(now);
      double allowed = bound.perSecond * (1 + ANSWER_NANOS_MAX / 1e9) + bound.largest;
      Invariant.QUOTAS_HOLD.require(
          owed <= allowed,
          "%s writes %d rows and owes %.1f, more than %.1f of %d a second",
          who,
          asked.rows(),
          owed,
          allowed,
          bound.perSecond);
      bound.least.take(asked.rows(), now);
    }
  }

  @Override
  public void swallowed(SimConnection connection, SimSocket from, Frame frame) {
    next.swallowed(connection, from, frame);
  }

  @Override
  public void cutInTwo() {
    next.cutInTwo();
  }

  @Override
  public void full() {
    next.full();
  }

  @Override
  public void closed(SimConnection connection, SimSocket by) {
    next.closed(connection, by);
  }
}
