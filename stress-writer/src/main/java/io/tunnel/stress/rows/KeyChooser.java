package io.tunnel.stress.rows;

import java.util.SplittableRandom;

/** Decides which key the next row is written to. Implementations are immutable. */
public interface KeyChooser {

  /** A key id, from 0 to one less than there are keys, drawn with {@code random}. */
  long next(SplittableRandom random);
}
