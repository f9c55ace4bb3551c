package io.tunnel.wire.control;

import io.tunnel.codec.Utf8;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Checkpoint;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads by which workers report failures of their processors. */
public sealed interface FailureControl extends Control {

  /**
   * The most characters of an error. Longer errors are cut, and unpaired surrogates become question
   * marks, because a processor's exception may have any message.
   */
  int ERROR_CHARS_MAX = 500;

  /**
   * Renews the lease of a session, and names its failing channels.
   *
   * @param retrying the channels whose processing is retried, up to {@link #RETRYING_MAX}; further
   *     channels of the session are not retried
   */
  record Heartbeat(String sessionId, List<RetryingChannel> retrying) implements FailureControl {
    /** The most channels in a heartbeat. */
    public static final int RETRYING_MAX = 256;

    /** Refuses null and too many channels; takes a missing list for an empty one. */
    public Heartbeat {
      Objects.requireNonNull(sessionId, "sessionId");
      retrying = retrying == null ? List.of() : List.copyOf(retrying);
      requireAtMost("retrying", retrying.size(), RETRYING_MAX);
    }
  }

  /**
   * Progress of a channel that passes skipped changes, which are stored with the progress.
   *
   * @param position as in {@link Checkpoint}
   * @param key as in {@link Checkpoint}
   * @param skipped 1 to {@link #SKIPPED_MAX} changes at rising positions up to {@code position}
   */
  record SkippingCheckpoint(int handle, long epoch, long position, Bytes key, List<Skip> skipped)
      implements FailureControl {
    /** The most skipped changes in a checkpoint. */
    public static final int SKIPPED_MAX = 1_000;

    /** Refuses null, none or too many, and changes that the position does not pass in order. */
    public SkippingCheckpoint {
      Objects.requireNonNull(key, "key");
      skipped = List.copyOf(Objects.requireNonNull(skipped, "skipped"));
      requireAtMost("skipped", skipped.size(), SKIPPED_MAX);
      if (skipped.isEmpty()) {
        throw new IllegalArgumentException("a checkpoint that skips has no skipped changes");
      }
      long last = -1;
      for (Skip each : skipped) {
        if (each.position() <= last || each.position() > position) {
          throw new IllegalArgumentException(
              "position "
                  + each.position()
                  + " is skipped after "
                  + last
                  + " by a checkpoint at "
                  + position);
        }
        last = each.position();
      }
    }

    /** The checkpoint without the skipped changes. */
    public Checkpoint checkpoint() {
      return new Checkpoint(handle, epoch, position, key);
    }
  }

  /**
   * A skipped change.
   *
   * @param error the reason, for people; cut after {@link #ERROR_CHARS_MAX} characters
   */
  record Skip(long position, PrimaryKey key, String error) {
    /** Refuses null and cuts the error. */
    public Skip {
      Objects.requireNonNull(key, "key");
      error = cut(error);
    }
  }

  /**
   * The stored record of a skipped change.
   *
   * @param position for a base channel, the number of the row, see {@link Checkpoint}
   * @param error the reason, for people
   * @param skippedMs when the server stored the checkpoint
   */
  record SkippedChange(
      int partition,
      ChannelType type,
      long position,
      PrimaryKey key,
      String error,
      long skippedMs) {
    /** Refuses null and cuts the error. */
    public SkippedChange {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(key, "key");
      error = cut(error);
    }
  }

  /**
   * The skipped changes of a tunnel.
   *
   * @param count how many in all; a change that is skipped again after a seek counts once while it
   *     is among the last
   * @param last the last skipped changes, oldest first, up to {@link #LAST_MAX}; fewer while the
   *     server has too many of all tunnels
   */
  record Skipped(long count, List<SkippedChange> last) {
    /** The most stored changes of a tunnel. */
    public static final int LAST_MAX = 100;

    /** None. */
    public static final Skipped NONE = new Skipped(0, List.of());

    /** Copies the list. */
    public Skipped {
      last = List.copyOf(Objects.requireNonNull(last, "last"));
    }
  }

  /**
   * The place of a failure.
   *
   * @param position the failing change, or the first of several
   * @param key the key of this change
   * @param changes how many changes were processed together from there on; 1 for a single failing
   *     change
   */
  record FailedChange(long position, PrimaryKey key, int changes) {
    /** Refuses null. */
    public FailedChange {
      Objects.requireNonNull(key, "key");
    }
  }

  /**
   * The retries of a failing processor.
   *
   * @param at the place of the failure; absent when the processor cannot be created
   * @param attempts how many attempts have failed
   * @param forMs milliseconds since the first failed attempt
   * @param nextInMs milliseconds until the next attempt; 0 while one runs
   * @param error the failure of the last attempt, for people
   */
  record Retry(Optional<FailedChange> at, int attempts, long forMs, long nextInMs, String error) {
    /** Cuts the error. */
    public Retry {
      at = at == null ? Optional.empty() : at;
      error = cut(error);
    }
  }

  /** A retried channel, by its handle in the session. */
  record RetryingChannel(int handle, long epoch, Retry retry) {
    /** Refuses null. */
    public RetryingChannel {
      Objects.requireNonNull(retry, "retry");
    }
  }

  private static String cut(String error) {
    return Utf8.start(Objects.requireNonNull(error, "error"), ERROR_CHARS_MAX);
  }

  private static void requireAtMost(String name, int count, int max) {
    if (count > max) {
      throw new IllegalArgumentException(name + " has at most " + max + " entries, not " + count);
    }
  }
}
