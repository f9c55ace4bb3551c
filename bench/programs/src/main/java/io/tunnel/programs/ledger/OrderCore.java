package io.tunnel.programs.ledger;

import java.util.Map;
import java.util.TreeMap;

/**
 * The order in which numbers come that should rise and come once each. Gaps are no fault by
 * themselves; the newest {@value #GAPS_MAX} are remembered, to tell a number that comes late from a
 * number that comes twice. For one thread at a time.
 */
public final class OrderCore {

  /** Gaps that are remembered; a number of an older gap counts as repeated. */
  public static final int GAPS_MAX = 4_096;

  /** Numbers that were passed over, first to last; ranges do not touch. */
  private final TreeMap<Long, Long> gaps = new TreeMap<>();

  /** The highest number that came; before, the number before the first. */
  private long last;

  /** Different numbers that came; arrived <= last - start. */
  private long arrived;

  /** Numbers that came after a higher number; late <= arrived. */
  private long late;

  /** Numbers that came again. */
  private long repeated;

  /** What a number is, by its place. */
  public enum Arrival {
    /** Higher than all before. */
    NEXT,
    /** The number was passed over before. */
    LATE,
    /** The number came before. */
    REPEATED
  }

  /** Nothing came yet; {@code first} is the lowest number that may come. */
  public OrderCore(long first) {
    this.last = first - 1;
  }

  /** A number came. */
  public Arrival came(long number) {
    if (number > last) {
      pass(last + 1, number - 1);
      last = number;
      arrived++;
      return Arrival.NEXT;
    }
    if (!takeFromGap(number)) {
      repeated++;
      return Arrival.REPEATED;
    }
    late++;
    arrived++;
    return Arrival.LATE;
  }

  private void pass(long from, long to) {
    if (from > to) {
      return;
    }
    gaps.put(from, to);
    if (gaps.size() > GAPS_MAX) {
      gaps.pollFirstEntry();
    }
  }

  private boolean takeFromGap(long number) {
    Map.Entry<Long, Long> gap = gaps.floorEntry(number);
    if (gap == null || gap.getValue() < number) {
      return false;
    }
    long from = gap.getKey();
    long to = gap.getValue();
    gaps.remove(from);
    if (from < number) {
      gaps.put(from, number - 1);
    }
    if (number < to) {
      gaps.put(number + 1, to);
    }
    return true;
  }

  /** Different numbers that came. */
  public long arrived() {
    return arrived;
  }

  /** Numbers that came after a higher number. */
  public long late() {
    return late;
  }

  /** Numbers that came again. */
  public long repeated() {
    return repeated;
  }
}
