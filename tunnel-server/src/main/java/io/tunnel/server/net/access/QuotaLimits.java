package io.tunnel.server.net.access;

import io.tunnel.server.security.Quota;
import io.tunnel.server.security.Quota.Counts;
import io.tunnel.server.security.Quota.Rates;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The limits of a quota by name, as administrators give and read them. */
final class QuotaLimits {

  private QuotaLimits() {}

  /**
   * The quota of these limits.
   *
   * @throws IllegalArgumentException when a name is unknown or given twice, or a limit is out of
   *     range
   */
  static Quota quota(List<QuotaLimit> limits) {
    Map<String, Long> left = new LinkedHashMap<>();
    for (QuotaLimit limit : limits) {
      if (left.put(limit.name(), limit.most()) != null) {
        throw new IllegalArgumentException("the limit " + limit.name() + " is given twice");
      }
    }
    Quota quota =
        new Quota(
            rates(left, "written"),
            rates(left, "delivered"),
            rates(left, "read"),
            Optional.ofNullable(left.remove("requestsPerSecond")),
            new Counts(
                count(left, "connections"),
                count(left, "sessions"),
                count(left, "tunnels"),
                count(left, "tables"),
                count(left, "partitions")));
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no limit "
              + left.keySet().iterator().next()
              + "; there are requestsPerSecond, connections, sessions, tunnels, tables,"
              + " partitions, and RowsPerSecond and BytesPerSecond behind written, delivered and"
              + " read, such as writtenRowsPerSecond");
    }
    return quota;
  }

  /**
   * The quota after a change.
   *
   * @throws IllegalArgumentException when a name is unknown or given twice, or a limit is out of
   *     range
   */
  static Quota changed(Quota before, QuotaChange change) {
    Map<String, QuotaLimit> limits = new LinkedHashMap<>();
    limits(before).forEach(limit -> limits.put(limit.name(), limit));
    for (String name : change.removed()) {
      if (name.equals(QuotaChange.ALL)) {
        limits.clear();
      } else {
        var unused = quota(List.of(new QuotaLimit(name, 1)));
        limits.remove(name);
      }
    }
    var unused = quota(change.limits());
    change.limits().forEach(limit -> limits.put(limit.name(), limit));
    return quota(List.copyOf(limits.values()));
  }

  private static Rates rates(Map<String, Long> left, String what) {
    return new Rates(
        Optional.ofNullable(left.remove(what + "RowsPerSecond")),
        Optional.ofNullable(left.remove(what + "BytesPerSecond")));
  }

  private static Optional<Integer> count(Map<String, Long> left, String name) {
    return Optional.ofNullable(left.remove(name))
        .map(count -> (int) Math.max(-1, Math.min(count, Integer.MAX_VALUE)));
  }

  /** The limits that a quota has. */
  static List<QuotaLimit> limits(Quota quota) {
    List<QuotaLimit> limits = new ArrayList<>();
    add(limits, "written", quota.written());
    add(limits, "delivered", quota.delivered());
    add(limits, "read", quota.read());
    add(limits, "requestsPerSecond", quota.requestsPerSecond());
    add(limits, "connections", quota.counts().connections());
    add(limits, "sessions", quota.counts().sessions());
    add(limits, "tunnels", quota.counts().tunnels());
    add(limits, "tables", quota.counts().tables());
    add(limits, "partitions", quota.counts().partitions());
    return limits;
  }

  private static void add(List<QuotaLimit> limits, String what, Rates rates) {
    add(limits, what + "RowsPerSecond", rates.rowsPerSecond());
    add(limits, what + "BytesPerSecond", rates.bytesPerSecond());
  }

  private static void add(List<QuotaLimit> limits, String name, Optional<? extends Number> limit) {
    limit.ifPresent(most -> limits.add(new QuotaLimit(name, most.longValue())));
  }
}
