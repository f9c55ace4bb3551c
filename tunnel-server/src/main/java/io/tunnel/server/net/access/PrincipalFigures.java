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
 * What principals were refused, and how they were slowed down, since the server started. The first
 * principals have figures of their own, all others have theirs together, so that there are not as
 * many figures as there are principals. For any thread; its monitor is taken when a principal comes
 * for the first time.
 */
public final class PrincipalFigures {

  /** Stands for all principals that have no figures of their own; no principal has a space. */
  public static final String OTHERS = "all others";

  private final int principalsMax;
  private final Map<String, Figures> figuresByName = new ConcurrentHashMap<>();

  /**
   * Of one principal; they only grow.
   *
   * @param refusals by their reasons
   * @param slowed how often it was told to wait
   * @param slowedNanos for how many nanoseconds in all
   */
  public record Figures(
      Map<ErrorCode, LongAdder> refusals, LongAdder slowed, LongAdder slowedNanos) {

    private static Figures none() {
      return new Figures(new ConcurrentHashMap<>(), new LongAdder(), new LongAdder());
    }
  }

  /**
   * What a principal has of what its quota counts.
   *
   * @param limit its name, such as {@code tables}
   * @param used what there is
   * @param most what its quota allows
   */
  public record QuotaUse(String principal, String limit, long used, long most) {

    /** Of a principal that has no figures of its own, together with the others. */
    private QuotaUse ofOthers() {
      return new QuotaUse(OTHERS, limit, used, most);
    }

    private QuotaUse plus(QuotaUse other) {
      return new QuotaUse(principal, limit, used + other.used(), most + other.most());
    }
  }

  /**
   * Of nobody yet.
   *
   * @param principalsMax principals with figures of their own
   */
  PrincipalFigures(int principalsMax) {
    this.principalsMax = principalsMax;
  }

  /** The uses of {@code principalsMax} principals, and those of all others taken together. */
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

  /** The figures of each principal that has some, and of {@link #OTHERS}. */
  public Map<String, Figures> all() {
    return new HashMap<>(figuresByName);
  }
}
