package io.tunnel.sdk.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/**
 * Decides when each holding of a channel opens, and how many bytes each open holding may prefetch.
 *
 * <p>Order: a channel that returns to the worker, in the same session or a later one, waits until
 * its former holding has ended. So two callbacks of one channel never run at once.
 *
 * <p>Credit: all open holdings share one budget. The share of a holding is the budget divided by
 * the number of open holdings, but at least {@code floor} and at most {@code holdingMax}. Granted
 * credit cannot be called back. When further holdings open, the credit that returns from holdings
 * above their share is withheld until they are down to it; a new holding gets the free rest of the
 * budget, and at least the floor.
 *
 * <p>A delivery may be larger than the credit that it uses up. The overdrawn bytes come from no
 * share: the holding gets them back in addition to its share.
 *
 * <p>Invariants: no open holding has less than the floor. Only floors exceed the budget. After all
 * credit has returned once, the total is at most the budget, or the sum of all floors if that is
 * more.
 *
 * <p>Runs on the worker's thread, except {@link #all}.
 *
 * @param <H> type of the holdings
 */
final class ChannelTurns<H extends ChannelTurns.Holding> {

  /** A holding of a channel, from assignment to end. */
  interface Holding {
    /** The channel, whose holdings have the same id. */
    String channelId();

    /** Opens the holding: no former holding of the channel is left. */
    void open();

    /** Grants further credit. */
    void grant(int bytes);
  }

  private record Grant<H>(H holding, int bytes) {}

  private final long budget;
  private final int floor;
  private final int holdingMax;
  private final IntConsumer whenCounted;

  /** Holdings of each channel in order of assignment; only the first of a channel is open. */
  private final Map<String, Deque<H>> channels = new HashMap<>();

  private final Set<H> all = ConcurrentHashMap.newKeySet();

  /** Credit of each open holding that has not returned, in bytes. */
  private final Map<H, Long> granted = new LinkedHashMap<>();

  /** Open holdings whose credit is below their share. */
  private final Set<H> belowShare = new LinkedHashSet<>();

  /** Sum of {@link #granted}. */
  private long total;

  /**
   * No holdings yet.
   *
   * @param budget credit of all holdings together, in bytes
   * @param floor least credit of a holding, in bytes
   * @param holdingMax most credit of a holding, in bytes
   * @param whenCounted is told the number of channels when it may have changed
   */
  ChannelTurns(long budget, int floor, int holdingMax, IntConsumer whenCounted) {
    this.budget = budget;
    this.holdingMax = holdingMax;
    this.floor = Math.min(floor, holdingMax);
    this.whenCounted = whenCounted;
  }

  boolean isEmpty() {
    return channels.isEmpty();
  }

  /** True until the holding is {@linkplain #closed closed}. */
  boolean has(H holding) {
    return all.contains(holding);
  }

  /** All holdings; for any thread. */
  Set<H> all() {
    return Collections.unmodifiableSet(all);
  }

  /** Granted credit of all holdings that has not returned, in bytes. */
  long total() {
    return total;
  }

  /** Granted credit of one holding in bytes; 0 when the holding is not open. */
  long granted(H holding) {
    return granted.getOrDefault(holding, 0L);
  }

  /** The share of each open holding, in bytes. */
  long share() {
    return Math.max(floor, Math.min(holdingMax, budget / Math.max(1, granted.size())));
  }

  /** Adds a holding, and opens it unless a former holding of its channel is left. */
  void add(H holding) {
    Deque<H> turns = channels.computeIfAbsent(holding.channelId(), id -> new ArrayDeque<>());
    turns.add(holding);
    all.add(holding);
    whenCounted.accept(channels.size());
    if (turns.size() == 1) {
      holding.open();
    }
  }

  /** The holding is open: grants its first credit. */
  void opened(H holding) {
    if (granted.putIfAbsent(holding, 0L) != null) {
      throw new IllegalStateException("channel " + holding.channelId() + " is open already");
    }
    findBelowShare();
    give(settle());
  }

  /**
   * The holding has processed {@code bytes}: grants them again, to the holding or to holdings below
   * their share. Bytes beyond the holding's credit were overdrawn by its last delivery, and go back
   * to the holding.
   */
  void processed(H holding, int bytes) {
    Long before = granted.get(holding);
    if (before == null) {
      throw new IllegalStateException(
          bytes + " bytes returned from channel " + holding.channelId() + ", which is not open");
    }
    long overdrawn = Math.max(0, bytes - before);
    long left = before - bytes + overdrawn;
    granted.put(holding, left);
    total -= before - left;
    noteShare(holding, left);
    List<Grant<H>> grants = settle();
    if (overdrawn > 0) {
      long own = takeOf(holding, grants) + overdrawn;
      grants.add(new Grant<>(holding, (int) own));
    }
    give(grants);
  }

  private static <H> long takeOf(H holding, List<Grant<H>> grants) {
    long bytes = 0;
    for (Grant<H> grant : grants) {
      bytes += grant.holding().equals(holding) ? grant.bytes() : 0;
    }
    grants.removeIf(grant -> grant.holding().equals(holding));
    return bytes;
  }

  /**
   * The holding has ended: opens the next holding of its channel, and grants its credit to the
   * rest. The holding is forgotten first, because opening and granting may fail.
   */
  void closed(H holding) {
    String id = holding.channelId();
    all.remove(holding);
    List<Grant<H>> freed = forgetCredit(holding);
    Deque<H> turns = channels.get(id);
    boolean wasFirst = turns.peek() == holding;
    turns.remove(holding);
    if (turns.isEmpty()) {
      channels.remove(id);
      whenCounted.accept(channels.size());
    } else if (wasFirst) {
      turns.peek().open();
    }
    give(freed);
  }

  private List<Grant<H>> forgetCredit(H holding) {
    Long bytes = granted.remove(holding);
    if (bytes == null) {
      return List.of();
    }
    total -= bytes;
    findBelowShare();
    return settle();
  }

  private void findBelowShare() {
    belowShare.clear();
    granted.forEach(this::noteShare);
  }

  private void noteShare(H holding, long bytes) {
    if (bytes < share()) {
      belowShare.add(holding);
    }
  }

  /** Fills floors even beyond the budget, and then shares within the budget. */
  private List<Grant<H>> settle() {
    List<Grant<H>> grants = new ArrayList<>();
    long share = share();
    for (H holding : List.copyOf(belowShare)) {
      long has = granted.get(holding);
      long toFloor = Math.max(0, floor - has);
      long free = Math.max(0, budget - total);
      long bytes = Math.max(toFloor, Math.min(share - has, free));
      if (bytes > 0) {
        granted.put(holding, has + bytes);
        total += bytes;
        grants.add(new Grant<>(holding, (int) bytes));
      }
      if (has + bytes >= share) {
        belowShare.remove(holding);
      }
    }
    return grants;
  }

  private void give(List<Grant<H>> grants) {
    grants.forEach(grant -> grant.holding().grant(grant.bytes()));
  }
}
