package io.tunnel.server.security;

import io.tunnel.model.Names;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a principal may use, or what a table may be used: rates, to which it is slowed down, and
 * counts, beyond which it is refused. What is left out is bounded by the server alone.
 *
 * @param written rows and bytes that are written
 * @param delivered changes and bytes that are delivered to its sessions and readings
 * @param read rows and bytes that gets and scans answer with
 * @param requestsPerSecond all requests together, 1 to {@value #RATE_MAX}
 * @param counts what there may be at the same moment
 */
public record Quota(
    Rates written, Rates delivered, Rates read, Optional<Long> requestsPerSecond, Counts counts) {

  /** The highest rate a second; who wants more leaves the limit out. */
  public static final long RATE_MAX = 9_000_000_000L;

  /** The highest count. */
  public static final int COUNT_MAX = 1_000_000_000;

  /** Without a limit. */
  public static final Quota NONE =
      new Quota(Rates.NONE, Rates.NONE, Rates.NONE, Optional.empty(), Counts.NONE);

  /** What a table's subject begins with. */
  static final String TABLE = "table:";

  /** Refuses rates that cannot be kept; null is no limit. */
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

    /** Refuses rates that cannot be kept; null is no limit. */
    public Rates {
      rowsPerSecond = Limit.rate("rowsPerSecond", rowsPerSecond);
      bytesPerSecond = Limit.rate("bytesPerSecond", bytesPerSecond);
    }
  }

  /**
   * How many there may be at the same moment, 0 to {@link Quota#COUNT_MAX} each.
   *
   * @param connections that are authenticated
   * @param sessions of workers
   * @param tunnels that it has created, or that the table has
   * @param tables that it has created
   * @param partitions of tables that it has created, or of the table
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

  /** The subject of a principal's quota. */
  public static String subjectOf(Principal principal) {
    return principal.name();
  }

  /**
   * This, for that subject.
   *
   * @param subject a principal's name, or {@code table:NAME}
   * @throws IllegalArgumentException when it is neither, or a table is given limits of principals
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

  /** Apart from the quota, because the parts of a quota are there before one is. */
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
