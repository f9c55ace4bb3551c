package io.tunnel.stress.rows;

import java.util.SplittableRandom;

/** Every key is as likely as every other. */
public record UniformKeys(long keyCount) implements KeyChooser {

  /** Refuses less than one key. */
  public UniformKeys {
    if (keyCount < 1) {
      throw new IllegalArgumentException("there is at least 1 key, not " + keyCount);
    }
  }

  @Override
  public long next(SplittableRandom random) {
    return random.nextLong(keyCount);
  }
}
