package io.tunnel.server.check;

import java.util.List;

/**
 * What was found in a data directory.
 *
 * @param tables how many the catalog has
 * @param tunnels how many the catalog has
 * @param problems in the order in which they were found
 */
public record CheckReport(
    int tables, int tunnels, List<ShardReport> shards, List<Problem> problems) {

  /** Copies. */
  public CheckReport {
    shards = List.copyOf(shards);
    problems = List.copyOf(problems);
  }

  /**
   * The figures of one checked shard.
   *
   * @param wholeFrom offset from which on no file of the log was deleted
   * @param logBytes of all segments
   * @param groups that are intact
   * @param rowsCompared with those that the log makes
   * @param partitionsSkipped whose rows could not be compared, because retention or a salvage has
   *     trimmed changes that made them
   * @param notCompared why no row of the shard was compared; empty when rows were compared
   */
  public record ShardReport(
      int shard,
      long wholeFrom,
      long logBytes,
      long groups,
      long rowsCompared,
      int partitionsSkipped,
      String notCompared) {

    /** Whether the check compared each row of the shard with the log. */
    public boolean isCompared() {
      return notCompared.isEmpty() && partitionsSkipped == 0;
    }
  }

  /** Whether the check compared each row with the log. */
  public boolean isCompared() {
    return shards.stream().allMatch(ShardReport::isCompared);
  }

  /** Whether nothing is wrong. */
  public boolean isSound() {
    return problems.stream().noneMatch(problem -> problem.kind().weight() == Problem.Weight.WRONG);
  }
}
