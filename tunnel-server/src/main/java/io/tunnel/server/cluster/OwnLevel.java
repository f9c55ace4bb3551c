package io.tunnel.server.cluster;

import io.tunnel.model.Level;
import java.io.IOException;

/** The level of a server without a cluster, which keeps it in its data directory. */
public interface OwnLevel {

  /** The level that is durable; any thread. */
  int level();

  /** The highest level that this build serves. */
  int levelMax();

  /**
   * Stores a higher level. Durable when it returns. One thread at a time.
   *
   * @throws IOException when the level cannot be stored
   */
  void raise(int to) throws IOException;

  /** A level that no operator can raise: the highest of this build. */
  static OwnLevel newest() {
    return new OwnLevel() {
      @Override
      public int level() {
        return Level.NEWEST;
      }

      @Override
      public int levelMax() {
        return Level.NEWEST;
      }

      @Override
      public void raise(int to) {
        throw new IllegalStateException("level " + to + " is above the highest");
      }
    };
  }
}
