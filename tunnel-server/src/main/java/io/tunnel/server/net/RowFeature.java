package io.tunnel.server.net;

import io.tunnel.codec.FormatFeature;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.ClusterView;

/** Features of rows that a server or a cluster has from a level on. */
enum RowFeature {
  ATOMIC_BATCHES("atomic batches", FormatFeature.ATOMIC),
  AUTO_KEYS("AUTO keys", FormatFeature.AUTO),
  ROW_SESSIONS("row sessions", FormatFeature.SESSION),
  TIME_TO_LIVE("time to live", FormatFeature.CAUSE);

  private final String label;
  private final FormatFeature format;

  /**
   * @param label for messages
   * @param format what the log needs for the feature
   */
  RowFeature(String label, FormatFeature format) {
    this.label = label;
    this.format = format;
  }

  /**
   * Refuses the feature below its level.
   *
   * @throws RefusedException FEATURE_NOT_ENABLED
   */
  void require(ClusterView cluster) {
    cluster.levels().require(label, format.level());
  }
}
