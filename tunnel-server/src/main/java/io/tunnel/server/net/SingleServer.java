package io.tunnel.server.net;

import io.tunnel.codec.FormatFeature;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.LogFeature;
import io.tunnel.server.partition.TableLogs;

/**
 * Features that a single server has from a level on, and a cluster only if its log has them. The
 * advice of a refusal names nothing that a cluster refuses, too.
 */
enum SingleServer {
  ATOMIC_BATCHES(
      LogFeature.ATOMIC_BATCHES,
      "atomic batches",
      FormatFeature.ATOMIC,
      "its log has a record for each row; write what must change together as columns of one row"),
  AUTO_KEYS(
      LogFeature.AUTO_KEYS,
      "AUTO keys",
      FormatFeature.AUTO,
      "its log forgets the numbers of deleted rows; create the table without an AUTO column, and"
          + " let writers number their rows"),
  ROW_SESSIONS(
      LogFeature.ROW_SESSIONS,
      "row sessions",
      FormatFeature.SESSION,
      "no node owns both a session and the order of its rows; write the time until which a row"
          + " counts into a column of the row, and write the row again before that time"),
  TIME_TO_LIVE(
      LogFeature.TIME_TO_LIVE,
      "time to live",
      FormatFeature.CAUSE,
      "leave ttlMs out, and delete old rows by a program");

  private final LogFeature log;
  private final String label;
  private final FormatFeature feature;
  private final String instead;

  /**
   * @param log what the feature needs of the log
   * @param instead why a cluster does not have the feature, and what to do instead
   */
  SingleServer(LogFeature log, String label, FormatFeature feature, String instead) {
    this.log = log;
    this.label = label;
    this.feature = feature;
    this.instead = instead;
  }

  /**
   * Refuses the feature where the log does not have it, whatever the level, and elsewhere below the
   * level of the feature.
   *
   * @throws RefusedException FEATURE_NOT_ENABLED
   */
  void require(TableLogs logs, ClusterView cluster) {
    if (!logs.has(log)) {
      throw new RefusedException(
          ErrorCode.FEATURE_NOT_ENABLED, "a cluster has no " + label + ": " + instead);
    }
    cluster.levels().require(label, feature.level());
  }
}
