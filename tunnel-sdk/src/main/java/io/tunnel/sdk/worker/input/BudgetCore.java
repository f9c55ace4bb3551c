package io.tunnel.sdk.worker.input;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One budget for the credit of all channels. Each channel's share is the budget divided by the
 * channels, but not under {@code floor} nor over {@code channelMax}. Credit that was given cannot
 * be called back; so when channels come, what returns from those above their share is kept until
 * they are at it, and the new ones are given what is free and at least the floor.
 *
 * <p>A delivery may be larger than the credit that it uses up. The part that was overdrawn was
 * nobody's: it is made good when it comes back, and counts for no share.
 *
 * <p>Holds at every moment: no channel has less than the floor, and credit beyond the budget was
 * only given up to the floor. Holds when everything has come back once: the sum is at most the
 * budget, or the floor of every channel if that is more.
 *
 * @param <K> names a channel
 */
public final class BudgetCore<K> {

  /** Credit to give now. */
  public record Grant<K>(K channel, int bytes) {}

  private final long budget;
  private final int floor;
  private final int channelMax;
  private final Map<K, Long> granted = new LinkedHashMap<>();
  private final Set<K> belowShare = new LinkedHashSet<>();
  private long total;

  public BudgetCore(long budget, int floor, int channelMax) {
    this.budget = budget;
    this.channelMax = channelMax;
    this.floor = Math.min(floor, channelMax);
  }

  /** Credit that was given and has not come back. */
  public long total() {
    return total;
  }

  /** Bytes granted to one channel; 0 when it is not there. */
  public long granted(K channel) {
    return granted.getOrDefault(channel, 0L);
  }

  /** What each channel is given when everything has settled. */
  public long share() {
    return Math.max(floor, Math.min(channelMax, budget / Math.max(1, granted.size())));
  }

  /** A channel begins. Returns what to give, to it and to those whose share is not full. */
  public List<Grant<K>> add(K channel) {
    if (granted.putIfAbsent(channel, 0L) != null) {
      throw new IllegalStateException("a channel is counted twice");
    }
    belowShare.clear();
    granted.forEach((other, bytes) -> noteShare(other, bytes));
    return settle();
  }

  /**
   * The channel is done with that many bytes. They may be more than it had: a delivery is not cut,
   * so the last one may overdraw the credit, and what it took too much is given on top of the rest,
   * to the channel and not to those whose share is not full. Returns what to give, to it or to
   * others.
   */
  public List<Grant<K>> returned(K channel, int bytes) {
    Long before = granted.get(channel);
    if (before == null) {
      throw new IllegalStateException(bytes + " bytes came back of a channel that is not there");
    }
    long overdrawn = Math.max(0, bytes - before);
    long left = before - bytes + overdrawn;
    granted.put(channel, left);
    total -= before - left;
    noteShare(channel, left);
    List<Grant<K>> grants = settle();
    if (overdrawn > 0) {
      long own = takeOf(channel, grants) + overdrawn;
      grants.add(new Grant<>(channel, (int) own));
    }
    return grants;
  }

  private long takeOf(K channel, List<Grant<K>> grants) {
    long bytes = 0;
    for (Grant<K> grant : grants) {
      bytes += grant.channel().equals(channel) ? grant.bytes() : 0;
    }
    grants.removeIf(grant -> grant.channel().equals(channel));
    return bytes;
  }

  /** A channel is over, with all its credit. Returns what to give to others. */
  public List<Grant<K>> remove(K channel) {
    Long bytes = granted.remove(channel);
    if (bytes == null) {
      return List.of();
    }
    total -= bytes;
    belowShare.clear();
    granted.forEach((other, theirs) -> noteShare(other, theirs));
    return settle();
  }

  private void noteShare(K channel, long bytes) {
    if (bytes < share()) {
      belowShare.add(channel);
    }
  }

  /** First everybody's floor, whatever it costs; then shares as far as the budget goes. */
  private List<Grant<K>> settle() {
    List<Grant<K>> grants = new ArrayList<>();
    long share = share();
    for (K channel : List.copyOf(belowShare)) {
      long has = granted.get(channel);
      long toFloor = Math.max(0, floor - has);
      long free = Math.max(0, budget - total);
      long bytes = Math.max(toFloor, Math.min(share - has, free));
      if (bytes > 0) {
        granted.put(channel, has + bytes);
        total += bytes;
        grants.add(new Grant<>(channel, (int) bytes));
      }
      if (has + bytes >= share) {
        belowShare.remove(channel);
      }
    }
    return grants;
  }
}
