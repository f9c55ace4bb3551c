package io.tunnel.server.channel.watch;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.wire.KeyTerms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The watches of a server: one hub for each watched partition. The monitor guards which hubs there
 * are; under it, hubs are made and closed, which takes the locks of logs.
 */
public final class Watches {

  /** Time between two marks, with which a watch learns how far the server has looked. */
  static final long MARK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A term's object, and its entry in the index of its partition, as measured in a heap. */
  private static final int TERM_BYTES = 200;

  private final ChangeReader changes;
  private final Executor readers;
  private final Rations rations;
  private final LongSupplier nanos;
  private final WatchLimits limits;
  private final WatchBudget budget;
  private final Map<Integer, Watched> hubs = new HashMap<>();
  private long markedNanos;

  /** A hub and the number of its watches. */
  private static final class Watched {
    private final WatchHub hub;
    private int watches;

    Watched(WatchHub hub) {
      this.hub = hub;
    }
  }

  /**
   * The present figures.
   *
   * @param watches how many there are
   * @param behind watches that lack changes below the live pass: the watch resumes, or its client
   *     is slow
   * @param termsBytes bytes of their keys and prefixes
   * @param bufferedBytes bytes of changes that were read for them and are not sent
   * @param readRows changes that live passes read, each once for all watches of the partition
   * @param catchUpRows changes that were read for watches that lagged
   */
  public record Figures(
      int watches,
      int behind,
      long termsBytes,
      long bufferedBytes,
      long readRows,
      long catchUpRows) {}

  /**
   * No watches yet.
   *
   * @param readers read the log, a slice at a time
   * @param rations throttle those that lag far
   */
  public Watches(
      ChangeReader changes,
      Executor readers,
      Rations rations,
      LongSupplier nanos,
      WatchLimits limits) {
    this.changes = changes;
    this.readers = readers;
    this.rations = rations;
    this.nanos = nanos;
    this.limits = limits;
    this.budget = new WatchBudget(limits);
    this.markedNanos = nanos.getAsLong();
  }

  /**
   * A channel over the changes of keys that match.
   *
   * @param principal the reader; empty where clients have no names
   * @throws io.tunnel.model.RefusedException BUSY when the server has too many watches, or the
   *     principal has its share of them
   */
  public Channel open(Channel.Start start, KeyTerms terms, String principal, DeliveryPort port) {
    budget.enter(principal, cost(terms));
    try {
      Entered entered = new Entered(hub(start.partition()), terms, principal);
      return new WatchChannel(start, entered, this, port);
    } catch (RuntimeException e) {
      budget.leave(principal, cost(terms));
      throw e;
    }
  }

  /** Bytes of memory that the terms of a watch take, with their places in the index. */
  static int cost(KeyTerms terms) {
    return terms.bytes() + (terms.keys().size() + terms.prefixes().size()) * TERM_BYTES;
  }

  private synchronized WatchHub hub(int partition) {
    Watched watched = hubs.get(partition);
    if (watched == null) {
      watched = new Watched(new WatchHub(partition, changes, readers, rations.ofChannel(), budget));
      hubs.put(partition, watched);
    }
    watched.watches++;
    return watched.hub;
  }

  /** A watch whose place in the budget is taken. */
  record Entered(WatchHub hub, KeyTerms terms, String principal) {}

  /** A watch is over. */
  synchronized void left(int partition, Entered entered) {
    budget.leave(entered.principal(), cost(entered.terms()));
    Watched watched = hubs.get(partition);
    // Otherwise it is of a hub that was lost.
    if (watched != null && watched.hub == entered.hub()) {
      watched.watches--;
      if (watched.watches == 0) {
        hubs.remove(partition);
        entered.hub().close();
      }
    }
  }

  /**
   * Reads no more for the watches of a partition, which this server serves no more; the caller ends
   * the watches. If the partition comes back, its watches begin with a hub of their own, because
   * the log may have other changes at the same positions.
   */
  public synchronized void lost(int partition) {
    Watched watched = hubs.remove(partition);
    if (watched != null) {
      watched.hub.close();
    }
  }

  /** Passes time on; a few times a second. */
  public void tick() {
    boolean isToMark = nanos.getAsLong() - markedNanos >= MARK_NANOS;
    if (isToMark) {
      markedNanos = nanos.getAsLong();
    }
    hubs().forEach(hub -> hub.tick(isToMark));
  }

  private synchronized List<WatchHub> hubs() {
    return hubs.values().stream().map(watched -> watched.hub).toList();
  }

  /** The present figures. */
  public Figures figures() {
    return budget.figures(hubs().stream().mapToInt(WatchHub::behind).sum());
  }

  WatchBudget budget() {
    return budget;
  }

  int windowBytesMax() {
    return limits.windowBytesMax();
  }
}
