package io.tunnel.flink.source;

import java.io.Serializable;

/** The end of the changes to read. */
public sealed interface EndAt extends Serializable {

  /** No end: the job runs until it is stopped. */
  record Never() implements EndAt {
    private static final long serialVersionUID = 1L;
  }

  /** Ends behind the last change committed at the start of the job. */
  record Found() implements EndAt {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Ends before the first change committed at or after a moment, which may be in the future.
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
