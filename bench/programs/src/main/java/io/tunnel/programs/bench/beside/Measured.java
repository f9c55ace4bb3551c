package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.beside.PeersSetup.Side;

/**
 * The results for tables with one number of partitions.
 *
 * @param partitions of each table and topic
 * @param rounds the figures
 * @param ceilingRowsPerSecond what a loopback socket carries, whatever the partitions
 */
public record Measured(int partitions, Rounds rounds, double ceilingRowsPerSecond) {

  double median(String test, Side side, String figure) {
    return rounds.median(test, side.peer(), figure);
  }

  /** That side's figure over Kafka's; NaN when one of the two is not known, or Kafka's is 0. */
  double ratio(String test, Side side, String figure) {
    return rounds.ratio(test, figure, side.peer(), Side.KAFKA.peer());
  }

  /** That side's figure over that of the table that is kept of Kafka's topic. */
  double tableRatio(Side side, String figure) {
    return rounds.ratio(Rounds.TABLE, figure, side.peer(), Side.KAFKA_TABLE.peer());
  }

  double shareOfCeiling(String test, Side side, String figure) {
    return median(test, side, figure) / ceilingRowsPerSecond;
  }
}
