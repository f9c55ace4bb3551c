package io.tunnel.server.net;

import io.tunnel.codec.FormatFeature;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;

/** Features that a single server has, and the shared log of a cluster has not. */
final class SingleServer {

  private SingleServer() {}

  /**
   * Refuses a feature of a single server on a node of a cluster.
   *
   * @param why why a cluster does not have the feature, and what to do instead
   * @throws RefusedException FEATURE_NOT_ENABLED
   */
  static void require(boolean isAlone, FormatFeature feature, String why) {
    if (!isAlone) {
      throw new RefusedException(
          ErrorCode.FEATURE_NOT_ENABLED,
          "the feature '" + feature.label() + "' is of a single server: " + why);
    }
  }
}
