package io.tunnel.programs.demo;

import io.tunnel.programs.ledger.OrderCore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Proves for one partition that everything acknowledged was delivered exactly once, in order and
 * with its content. The writer's side folds each acknowledged change into its key's chain, the
 * reader's side each delivered one; at the end both must have the same chains. Besides, positions
 * must rise from delivery to delivery.
 *
 * <p>The two sides share nothing until {@link #compare}, so that each may be used by its own thread
 * without a lock.
 */
final class LedgerCore {

  private static final int LATE_KEYS_MAX = 100_000;

  private final KeyChains written = new KeyChains();
  private final KeyChains read = new KeyChains();

  private final OrderCore order = new OrderCore(1);

  /** Keys of changes that came late: their chains differ because of it. */
  private final Set<Long> lateKeys = new HashSet<>();

  private long acknowledgedRows;
  private long arrivedRows;

  /** What may be wrong with a key. */
  enum Fault {
    /** Acknowledged changes were not delivered. */
    MISSING,
    /** More changes were delivered than acknowledged. */
    DUPLICATE,
    /** All expected changes came, in another order. */
    ORDER,
    /** As many changes came, but with another content. */
    CONTENT
  }

  /** A key with a fault, by its hash. */
  record Example(Fault fault, long key) {}

  /**
   * What a comparison found.
   *
   * @param missing changes acknowledged and not delivered
   * @param duplicates changes delivered again, or delivered and never acknowledged
   * @param orderViolations changes that came after a later position, and keys whose changes came in
   *     another order than that of their acknowledgements
   * @param contentViolations keys with a change that is not the one that was acknowledged
   */
  record Findings(
      long acknowledgedRows,
      long arrivedRows,
      long missing,
      long duplicates,
      long orderViolations,
      long contentViolations,
      List<Example> examples) {

    static final Findings NONE = new Findings(0, 0, 0, 0, 0, 0, List.of());

    Findings {
      examples = List.copyOf(examples);
    }

    /** Whether nothing is wrong. */
    boolean isClean() {
      return missing + duplicates + orderViolations + contentViolations == 0
          && acknowledgedRows == arrivedRows;
    }

    /** Both together, with at most {@code examplesMax} examples. */
    Findings plus(Findings other, int examplesMax) {
      List<Example> both = new ArrayList<>(examples);
      both.addAll(other.examples);
      return new Findings(
          acknowledgedRows + other.acknowledgedRows,
          arrivedRows + other.arrivedRows,
          missing + other.missing,
          duplicates + other.duplicates,
          orderViolations + other.orderViolations,
          contentViolations + other.contentViolations,
          both.subList(0, Math.min(both.size(), examplesMax)));
    }
  }

  /** Writer's side: a change was acknowledged, after all that were before. */
  void acknowledged(long key, long fingerprint) {
    acknowledgedRows++;
    written.add(key, fingerprint);
  }

  /** Reader's side: a change was delivered, after all that were before. */
  OrderCore.Arrival arrived(long position, long key, long fingerprint) {
    arrivedRows++;
    OrderCore.Arrival arrival = order.came(position);
    if (arrival == OrderCore.Arrival.LATE && lateKeys.size() < LATE_KEYS_MAX) {
      lateKeys.add(key);
    }
    if (arrival != OrderCore.Arrival.REPEATED) {
      read.add(key, fingerprint);
    }
    return arrival;
  }

  /** Compares both sides, which must have come to rest. */
  Findings compare(int examplesMax) {
    Comparison comparison = new Comparison(examplesMax);
    written.forEachKey(comparison::compare);
    read.forEachKey(
        key -> {
          if (written.of(key).count() == 0) {
            comparison.compare(key);
          }
        });
    return comparison.findings();
  }

  /** Walks over the keys. */
  private final class Comparison {
    private final int examplesMax;
    private final List<Example> examples = new ArrayList<>();
    private long missing;
    private long duplicates;
    private long keysOutOfOrder;
    private long contentViolations;

    Comparison(int examplesMax) {
      this.examplesMax = examplesMax;
    }

    void compare(long key) {
      KeyChains.Chain wrote = written.of(key);
      KeyChains.Chain got = read.of(key);
      if (got.count() < wrote.count()) {
        missing += wrote.count() - got.count();
        example(Fault.MISSING, key);
      } else if (got.count() > wrote.count()) {
        duplicates += got.count() - wrote.count();
        example(Fault.DUPLICATE, key);
      } else if (got.sum() != wrote.sum()) {
        contentViolations++;
        example(Fault.CONTENT, key);
      } else if (got.chain() != wrote.chain()) {
        keysOutOfOrder += lateKeys.contains(key) ? 0 : 1;
        example(Fault.ORDER, key);
      }
    }

    private void example(Fault fault, long key) {
      if (examples.size() < examplesMax) {
        examples.add(new Example(fault, key));
      }
    }

    Findings findings() {
      return new Findings(
          acknowledgedRows,
          arrivedRows,
          missing,
          duplicates + order.repeated(),
          keysOutOfOrder + order.late(),
          contentViolations,
          examples);
    }
  }
}
