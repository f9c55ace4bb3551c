package io.tunnel.flink.source;

import java.io.Serializable;
import java.util.Objects;

/** The start of the changes to read, for a job without a checkpoint. */
public sealed interface StartAt extends Serializable {

  /** Starts with the oldest kept change. */
  record Earliest() implements StartAt {
    private static final long serialVersionUID = 1L;
  }

  /** Starts with the first change after the start of the job. */
  record Latest() implements StartAt {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Starts with the first change committed at or after a moment; the job fails with HISTORY_LOST
   * when the table may have deleted changes of that time.
   *
   * @param epochMs the moment, in milliseconds since 1970; not in the future
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

  /** Starts behind the checkpoints of a tunnel of the table, including base channels. */
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
