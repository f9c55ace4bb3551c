package io.tunnel.core;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Entries with a size, which belong to principals. Over the limit, the principal with most has to
 * drop its oldest entry: so a principal below an equal share loses nothing to the others. For one
 * thread.
 *
 * @param <P> names of principals
 * @param <E> entries, in the order of their age
 */
public final class FairShares<P extends Comparable<P>, E extends Comparable<E>> {

  private final long max;

  private long sum;
  private final Map<P, Share<P, E>> byPrincipal = new HashMap<>();

  /** The shares of {@link #byPrincipal}; a share is taken out while its sum changes. */
  private final TreeSet<Share<P, E>> bySum =
      new TreeSet<>(
          Comparator.<Share<P, E>>comparingLong(share -> share.sum)
              .thenComparing(share -> share.principal));

  private static final class Share<P, E> {
    private final P principal;
    private final TreeSet<E> entries = new TreeSet<>();

    /** The sizes of {@link #entries}. */
    private long sum;

    Share(P principal) {
      this.principal = principal;
    }
  }

  /** Nothing, and {@code max} in the sum of all sizes. */
  public FairShares(long max) {
    this.max = max;
  }

  /** The sizes of all entries. */
  public long sum() {
    return sum;
  }

  /** Adds an entry, which the principal does not have yet. */
  public void add(P principal, E entry, long size) {
    Share<P, E> share = byPrincipal.computeIfAbsent(principal, Share::new);
    bySum.remove(share);
    if (!share.entries.add(entry)) {
      throw new IllegalStateException("an entry of " + principal + " is there already");
    }
    share.sum += size;
    sum += size;
    bySum.add(share);
  }

  /** Removes an entry, with the size that it was added with. */
  public void remove(P principal, E entry, long size) {
    Share<P, E> share = byPrincipal.get(principal);
    bySum.remove(share);
    if (!share.entries.remove(entry)) {
      throw new IllegalStateException("an entry of " + principal + " is not there");
    }
    share.sum -= size;
    sum -= size;
    if (share.entries.isEmpty()) {
      byPrincipal.remove(principal);
    } else {
      bySum.add(share);
    }
  }

  /** The entry that is to go; empty below the limit. */
  public Optional<E> surplus() {
    return sum > max ? Optional.of(bySum.last().entries.first()) : Optional.empty();
  }
}
