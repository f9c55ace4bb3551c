package io.tunnel.flink.source;

import java.io.Serializable;

/** Where changes end. */
public sealed interface EndAt extends Serializable {

  /** Nowhere: the job runs until it is stopped. */
  record Never() implements EndAt {
    private static final long serialVersionUID = 1L;
  }

  /** Behind what was committed when the job started. */
  record Found() implements EndAt {
    private static final long serialVersionUID = 1L;
  }

  /**
   * In front of the first change that is committed at or after a moment, which may be to come.
   *
   * @param epochMs in milliseconds since 1970
   */
  record Timestamp(long epochMs) implements EndAt {
    private static final long serialVersionUID = 1L;

    /** Refuses times before 1970. */
    public Timestamp {
      if (epochMs < 0) {
        throw new IllegalArgumentException("a time to end at is at least 0, not " + epochMs);
      }
    }
  }

  /** {@link Never}. */
  static EndAt never() {
    return new Never();
  }

  /** {@link Found}. */
  static EndAt latest() {
    return new Found();
  }

  /** {@link Timestamp}. */
  static EndAt timestamp(long epochMs) {
    return new Timestamp(epochMs);
  }
}
