package io.tunnel.server.security;

import io.tunnel.model.Names;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits of a principal or a table: above a rate requests are throttled, above a count they are
 * refused. Each rate is a rate limit: a throttled request waits, which is backpressure on its
 * client. A limit that is left out is bounded by the server alone.
 *
 * @param written rows and bytes written
 * @param delivered changes and bytes delivered to sessions and readings
 * @param read rows and bytes in answers of gets and scans
 * @param requestsPerSecond all requests together, 1 to {@value #RATE_MAX}
 * @param counts numbers at the same time
 */
public record Quota(
    Rates written, Rates delivered, Rates read, Optional<Long> requestsPerSecond, Counts counts) {

  /** The highest rate a second; leave the limit out for more. */
  public static final long RATE_MAX = 9_000_000_000L;

  /** The highest count. */
  public static final int COUNT_MAX = 1_000_000_000;

  /** Without a limit. */
  public static final Quota NONE =
      new Quota(Rates.NONE, Rates.NONE, Rates.NONE, Optional.empty(), Counts.NONE);

  /** The prefix of a table's subject. */
  static final String TABLE = "table:";

  /** Refuses rates out of range; null is no limit. */
  public Quota {
    written = Objects.requireNonNullElse(written, Rates.NONE);
    delivered = Objects.requireNonNullElse(delivered, Rates.NONE);
    read = Objects.requireNonNullElse(read, Rates.NONE);
    requestsPerSecond = Limit.rate("requestsPerSecond", requestsPerSecond);
    counts = Objects.requireNonNullElse(counts, Counts.NONE);
  }

  /**
   * Rows and their bytes in a second.
   *
   * @param rowsPerSecond 1 to {@link Quota#RATE_MAX}
   * @param bytesPerSecond 1 to {@link Quota#RATE_MAX}
   */
  public record Rates(Optional<Long> rowsPerSecond, Optional<Long> bytesPerSecond) {

    /** Without a limit. */
    public static final Rates NONE = new Rates(Optional.empty(), Optional.empty());

    /** Refuses rates out of range; null is no limit. */
    public Rates {
      rowsPerSecond = Limit.rate("rowsPerSecond", rowsPerSecond);
      bytesPerSecond = Limit.rate("bytesPerSecond", bytesPerSecond);
    }
  }

  /**
   * Numbers at the same time, 0 to {@link Quota#COUNT_MAX} each.
   *
   * @param connections authenticated connections
   * @param sessions sessions of workers
   * @param tunnels tunnels that the principal created, or that the table has
   * @param tables tables that the principal created
   * @param partitions partitions of tables that the principal created, or of the table
   */
  public record Counts(
      Optional<Integer> connections,
      Optional<Integer> sessions,
      Optional<Integer> tunnels,
      Optional<Integer> tables,
      Optional<Integer> partitions) {

    /** Without a limit. */
    public static final Counts NONE =
        new Counts(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /** Refuses counts below 0 and above the maximum; null is no limit. */
    public Counts {
      connections = Limit.count("connections", connections);
      sessions = Limit.count("sessions", sessions);
      tunnels = Limit.count("tunnels", tunnels);
      tables = Limit.count("tables", tables);
      partitions = Limit.count("partitions", partitions);
    }
  }

  /** The subject of a table's quota. */
  public static String subjectOf(String table) {
    return TABLE + Names.requireResourceName("table", table);
  }

  /** The table of a subject; empty for the subject of a principal. */
  public static Optional<String> tableOf(String subject) {
    return subject.startsWith(TABLE)
        ? Optional.of(subject.substring(TABLE.length()))
        : Optional.empty();
  }

  /** The subject of a principal's quota. */
  public static String subjectOf(Principal principal) {
    return principal.name();
  }

  /**
   * This quota, if it fits the subject.
   *
   * @param subject a principal's name, or {@code table:NAME}
   * @throws IllegalArgumentException when it is neither, or a table gets limits of principals
   */
  public Quota requireFor(String subject) {
    requireSubject(subject);
    boolean isOfTable = subject.startsWith(TABLE);
    if (isOfTable
        && Stream.of(counts.connections(), counts.tables()).anyMatch(Optional::isPresent)) {
      throw new IllegalArgumentException(
          "connections and tables are counted for principals, not for " + subject);
    }
    return this;
  }

  /**
   * Checks a subject.
   *
   * @throws IllegalArgumentException when it is neither a principal's name nor {@code table:NAME}
   */
  public static String requireSubject(String subject) {
    if (subject != null && subject.startsWith(TABLE)) {
      return subjectOf(subject.substring(TABLE.length()));
    }
    return new Principal(subject).name();
  }

  /** Checks limits. Not in the quota itself, because its parts are checked before it exists. */
  private static final class Limit {
    private Limit() {}

    static Optional<Long> rate(String what, Optional<Long> rate) {
      Optional<Long> given = Objects.requireNonNullElse(rate, Optional.<Long>empty());
      requireWithin(what, given.orElse(1L), 1, RATE_MAX);
      return given;
    }

    static Optional<Integer> count(String what, Optional<Integer> count) {
      Optional<Integer> given = Objects.requireNonNullElse(count, Optional.<Integer>empty());
      requireWithin(what, given.orElse(0), 0, COUNT_MAX);
      return given;
    }

    static void requireWithin(String what, long number, long min, long max) {
      if (number < min || number > max) {
        throw new IllegalArgumentException(
            what + " is " + min + " to " + max + " or left out, not " + number);
      }
    }
  }
}
