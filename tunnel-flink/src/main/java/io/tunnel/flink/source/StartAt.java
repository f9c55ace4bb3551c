package io.tunnel.flink.source;

import java.io.Serializable;
import java.util.Objects;

/** Where changes are read from when a job starts without a checkpoint of its own. */
public sealed interface StartAt extends Serializable {

  /** The oldest change that the table keeps. */
  record Earliest() implements StartAt {
    private static final long serialVersionUID = 1L;
  }

  /** The first change that is committed when the job has started. */
  record Latest() implements StartAt {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The first change that was committed at or after a moment; the job fails with HISTORY_LOST when
   * the table may have given up changes of that time.
   *
   * @param epochMs in milliseconds since 1970; not in the future
   */
  record Timestamp(long epochMs) implements StartAt {
    private static final long serialVersionUID = 1L;

    /** Refuses times before 1970. */
    public Timestamp {
      if (epochMs < 0) {
        throw new IllegalArgumentException("a time to start at is at least 0, not " + epochMs);
      }
    }
  }

  /** Behind the checkpoints of a tunnel of the table; of rows, too, if it has base channels. */
  record Checkpoint(String tunnel) implements StartAt {
    private static final long serialVersionUID = 1L;

    /** Refuses null. */
    public Checkpoint {
      Objects.requireNonNull(tunnel, "tunnel");
    }
  }

  /** {@link Earliest}. */
  static StartAt earliest() {
    return new Earliest();
  }

  /** {@link Latest}. */
  static StartAt latest() {
    return new Latest();
  }

  /** {@link Timestamp}. */
  static StartAt timestamp(long epochMs) {
    return new Timestamp(epochMs);
  }

  /** {@link Checkpoint}. */
  static StartAt checkpointOf(String tunnel) {
    return new Checkpoint(tunnel);
  }
}
