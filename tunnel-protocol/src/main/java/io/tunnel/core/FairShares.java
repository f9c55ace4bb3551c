package io.tunnel.server.partition.judge;

import io.tunnel.model.value.Bytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Entries with a size, which belong to principals. Over the limit, the principal with most has to
 * give up its oldest entry: so a principal below an equal share loses nothing to the others.
 *
 * @param <E> entries, in the order of their age
 */
final class FairShares<E extends Comparable<E>> {

  private final long max;

  /** The sizes of all entries. */
  private long sum;

  private final Map<Bytes, Share<E>> byPrincipal = new HashMap<>();

  /** The shares of {@link #byPrincipal}; a share is taken out while its sum changes. */
  private final TreeSet<Share<E>> bySum =
      new TreeSet<>(
          Comparator.<Share<E>>comparingLong(share -> share.sum)
              .thenComparing(share -> share.principal));

  private static final class Share<E> {
    private final Bytes principal;
    private final TreeSet<E> entries = new TreeSet<>();

    /** The sizes of {@link #entries}. */
    private long sum;

    Share(Bytes principal) {
      this.principal = principal;
    }
  }

  /** Nothing, and {@code max} in the sum of all sizes. */
  FairShares(long max) {
    this.max = max;
  }

  long sum() {
    return sum;
  }

  void add(Bytes principal, E entry, long size) {
    Share<E> share = byPrincipal.computeIfAbsent(principal, Share::new);
    bySum.remove(share);
    if (!share.entries.add(entry)) {
      throw new IllegalStateException("an entry of " + principal + " is there already");
    }
    share.sum += size;
    sum += size;
    bySum.add(share);
  }

  void remove(Bytes principal, E entry, long size) {
    Share<E> share = byPrincipal.get(principal);
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
  Optional<E> surplus() {
    return sum > max ? Optional.of(bySum.last().entries.first()) : Optional.empty();
  }
}
