package io.tunnel.partition.tool;

import io.tunnel.model.value.PrimaryKeyType;
import java.util.Locale;

/** Where split points come from. */
enum SplitStrategy {
  /** Evenly over a 4-byte hash. */
  HASH4,
  /** Evenly over hexadecimal digits. */
  HEX,
  /** Evenly over a range of integers. */
  INTEGER,
  /** As given. */
  POINTS,
  /** Quantiles of a sample of keys. */
  SAMPLE;

  /** What a key column of that type is split by when nothing is said. */
  static SplitStrategy defaultFor(PrimaryKeyType type) {
    return switch (type) {
      case BINARY -> HASH4;
      case STRING -> HEX;
      case INTEGER -> INTEGER;
    };
  }

  /** As it is typed. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
