package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Refusals and throttling of principals since the server started. The first principals have figures
 * of their own and all later ones share one, so that the number of figures is bounded. For any
 * thread; the monitor is taken when a principal first appears.
 */
public final class PrincipalFigures {

  /** The name of the shared figures; no principal's name has a space. */
  public static final String OTHERS = "all others";

  private final int principalsMax;
  private final Map<String, Figures> figuresByName = new ConcurrentHashMap<>();

  /**
   * The figures of one principal; they only grow.
   *
   * @param refusals by their reasons
   * @param slowed the number of waits
   * @param slowedNanos the sum of the waits
   */
  public record Figures(
      Map<ErrorCode, LongAdder> refusals, LongAdder slowed, LongAdder slowedNanos) {

    private static Figures none() {
      return new Figures(new ConcurrentHashMap<>(), new LongAdder(), new LongAdder());
    }
  }

  /**
   * A principal's use of one limit of its quota.
   *
   * @param limit the limit's name, such as {@code tables}
   * @param used the current use
   * @param most the most that the quota allows
   */
  public record QuotaUse(String principal, String limit, long used, long most) {

    /** This use under the shared name. */
    private QuotaUse ofOthers() {
      return new QuotaUse(OTHERS, limit, used, most);
    }

    private QuotaUse plus(QuotaUse other) {
      return new QuotaUse(principal, limit, used + other.used(), most + other.most());
    }
  }

  /**
   * Without figures.
   *
   * @param principalsMax principals with figures of their own
   */
  PrincipalFigures(int principalsMax) {
    this.principalsMax = principalsMax;
  }

  /** The uses of {@code principalsMax} principals, and the sum of the rest. */
  List<QuotaUse> bounded(List<QuotaUse> uses) {
    Set<String> named = new HashSet<>();
    List<QuotaUse> bounded = new ArrayList<>();
    Map<String, QuotaUse> others = new TreeMap<>();
    for (QuotaUse use : uses) {
      if (named.contains(use.principal()) || named.size() < principalsMax) {
        named.add(use.principal());
        bounded.add(use);
      } else {
        others.merge(use.limit(), use.ofOthers(), QuotaUse::plus);
      }
    }
    bounded.addAll(others.values());
    return bounded;
  }

  void refused(String principal, ErrorCode code) {
    of(principal).refusals().computeIfAbsent(code, unused -> new LongAdder()).increment();
  }

  void slowed(String principal, long nanos) {
    if (nanos > 0) {
      Figures figures = of(principal);
      figures.slowed().increment();
      figures.slowedNanos().add(nanos);
    }
  }

  private Figures of(String principal) {
    Figures known = figuresByName.get(principal);
    return known == null ? begin(principal) : known;
  }

  private synchronized Figures begin(String principal) {
    boolean hasOwn = figuresByName.containsKey(principal) || named() < principalsMax;
    return figuresByName.computeIfAbsent(hasOwn ? principal : OTHERS, unused -> Figures.none());
  }

  private int named() {
    return figuresByName.size() - (figuresByName.containsKey(OTHERS) ? 1 : 0);
  }

  /** The figures by principal, with the shared ones under {@link #OTHERS}. */
  public Map<String, Figures> all() {
    return new HashMap<>(figuresByName);
  }
}
