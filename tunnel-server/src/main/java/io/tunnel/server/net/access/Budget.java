package io.tunnel.server.net.access;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/**
 * A bounded sum of bytes or connections that clients make this server hold, and the part of it that
 * each holder has. Every such bound of the network is a budget:
 *
 * <ul>
 *   <li>incomplete frames, by connection: beyond the sum, the server evicts the connection whose
 *       frame began first;
 *   <li>unanswered requests: beyond the sum, a small request waits until its connection gets an
 *       answer, and a large one is refused; a connection without a request under way gets one small
 *       request served beyond the sum;
 *   <li>waiting requests, after the first one of their connection: refused beyond the sum;
 *   <li>unread answers, by connection: beyond the sum, the server evicts the connection that has
 *       read nothing for longest; beyond its own bound, a connection is closed, and a promise of an
 *       answer waits until the connection has read or given a promise back;
 *   <li>connections, by network: a new one replaces the oldest without a greeting, or is refused;
 *   <li>connections, by principal: refused beyond the quota;
 *   <li>requests under way on a shared thread: beyond the sum, the next request waits until any
 *       request is answered; one may always run;
 *   <li>requests that wait for such a thread, by principal: refused beyond the holder's bound; one
 *       may always wait.
 * </ul>
 *
 * <p><b>Invariant:</b> {@link #taken} is the sum of all holders' amounts and of what was taken
 * without a holder. No amount is negative; a holder without an amount has no entry. {@link
 * #tryTake} raises neither the sum nor a holder's amount above its bound. Only {@link #take},
 * {@link #set} and a first request do; a caller that does so evicts until the sum is back within
 * the bound, or closes the holder.
 *
 * <p><b>Owners:</b> any thread changes a budget. The sum is one atomic number, and a holder's
 * amount changes in one atomic step of the map; no other object is called inside, so a budget may
 * be used under any lock. Of two holders that ask at the same time for the last part of the sum,
 * both may be refused, and never both get it. A budget knows nobody who waits: the holder wakes its
 * own work when it gives something back.
 *
 * @param <K> the holders; by identity or as values
 */
public final class Budget<K> {

  /** The bound of what is not bounded. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  private final long max;
  private final long ofHolderMax;
  private final AtomicLong taken = new AtomicLong();

  /** Numbers the times at which holders became young. */
  private final AtomicLong ages = new AtomicLong();

  private final Map<K, Held> byHolder = new ConcurrentHashMap<>();

  /**
   * What a holder has.
   *
   * @param amount more than 0
   * @param since when the holder last had nothing, or gave something back
   */
  private record Held(long amount, long since) {}

  /** A budget in which one holder may have all. */
  public Budget(long max) {
    this(max, UNBOUNDED);
  }

  /** A budget from which nothing is taken, with the bound of the sum and of each holder. */
  public Budget(long max, long ofHolderMax) {
    this.max = max;
    this.ofHolderMax = ofHolderMax;
  }

  /** Takes {@code more} without a holder, if the sum allows it. */
  public boolean tryTake(long more) {
    return tryTake(more, false);
  }

  /** Takes {@code more} without a holder, if the sum allows it, or in any case if it is first. */
  public boolean tryTake(long more, boolean isFirst) {
    boolean fits = taken.addAndGet(more) <= max || isFirst;
    if (!fits) {
      taken.addAndGet(-more);
    }
    return fits;
  }

  /** Gives back what was taken without a holder. */
  public void give(long less) {
    taken.addAndGet(-less);
  }

  /** Takes {@code more} for {@code holder}, if the sum and the bound of each holder allow it. */
  public boolean tryTake(K holder, long more) {
    return tryTake(holder, more, ofHolderMax);
  }

  /** As {@link #tryTake(Object, long)}, with another bound for this holder. */
  public boolean tryTake(K holder, long more, long holderMax) {
    boolean fits = change(holder, own -> own + more, false) <= holderMax && taken.get() <= max;
    if (!fits) {
      var unused = change(holder, own -> own - more, false);
    }
    return fits;
  }

  /** Takes {@code more} for {@code holder}, also beyond the bounds. */
  public void take(K holder, long more) {
    var unused = change(holder, own -> own + more, false);
  }

  /** Gives back a part of what the holder has; the holder is the youngest now. */
  public void give(K holder, long less) {
    var unused = change(holder, own -> own - less, true);
  }

  /** The holder has {@code amount} now, also beyond the bounds. */
  public void set(K holder, long amount) {
    var unused = change(holder, own -> amount, true);
  }

  private long change(K holder, LongUnaryOperator next, boolean isRenewed) {
    Held now =
        byHolder.compute(
            holder,
            (unused, held) -> {
              long before = held == null ? 0 : held.amount();
              long amount = next.applyAsLong(before);
              if (amount < 0) {
                throw new IllegalStateException(
                    "a holder of " + before + " cannot give back " + (before - amount));
              }
              taken.addAndGet(amount - before);
              boolean isYoung = held == null || (isRenewed && amount < before);
              return amount == 0
                  ? null
                  : new Held(amount, isYoung ? ages.incrementAndGet() : held.since());
            });
    return now == null ? 0 : now.amount();
  }

  /**
   * Evicts the oldest holders until the sum is within its bound.
   *
   * @param evict is called once for each evicted holder, whose amount is given back
   */
  public void relieve(Consumer<K> evict) {
    while (taken.get() > max) {
      Optional<K> oldest =
          byHolder.entrySet().stream()
              .min(Comparator.comparingLong(entry -> entry.getValue().since()))
              .map(Map.Entry::getKey);
      if (oldest.isEmpty()) {
        return;
      }
      evict.accept(oldest.get());
      set(oldest.get(), 0);
    }
  }

  /** What {@code holder} has. */
  public long of(K holder) {
    Held held = byHolder.get(holder);
    return held == null ? 0 : held.amount();
  }

  /** What is taken. */
  public long taken() {
    return taken.get();
  }

  /** The bound of the sum. */
  public long max() {
    return max;
  }
}
