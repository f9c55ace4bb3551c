package io.tunnel.wire.control;

import io.tunnel.codec.Utf8;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Checkpoint;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The payloads by which workers say what their processors failed at. */
public sealed interface FailureControl extends Control {

  /**
   * Characters of an error that are kept; longer ones are cut, and what UTF-8 cannot hold becomes a
   * question mark: a processor's exception may say anything.
   */
  int ERROR_CHARS_MAX = 500;

  /**
   * Renews the lease of a session, and says what fails in it.
   *
   * @param retrying the channels whose processing failed and is tried again, up to {@link
   *     #RETRYING_MAX}; those that are not named are not retried (any more)
   */
  record Heartbeat(String sessionId, List<RetryingChannel> retrying) implements FailureControl {
    /** Channels that one heartbeat can name. */
    public static final int RETRYING_MAX = 256;

    /** Refuses null and too many channels; a worker that does not say has none. */
    public Heartbeat {
      Objects.requireNonNull(sessionId, "sessionId");
      retrying = retrying == null ? List.of() : List.copyOf(retrying);
      requireAtMost("retrying", retrying.size(), RETRYING_MAX);
    }
  }

  /**
   * Progress of a channel that passes changes which were left out. They are stored with it.
   *
   * @param position as in {@link Checkpoint}
   * @param key as in {@link Checkpoint}
   * @param skipped 1 to {@link #SKIPPED_MAX} changes at rising positions up to {@code position}
   */
  record SkippingCheckpoint(int handle, long epoch, long position, Bytes key, List<Skip> skipped)
      implements FailureControl {
    /** Changes that one checkpoint can pass. */
    public static final int SKIPPED_MAX = 1_000;

    /** Refuses null, none or too many, and changes that the position does not pass in order. */
    public SkippingCheckpoint {
      key = key == null ? Bytes.EMPTY : key;
      skipped = List.copyOf(Objects.requireNonNull(skipped, "skipped"));
      requireAtMost("skipped", skipped.size(), SKIPPED_MAX);
      if (skipped.isEmpty()) {
        throw new IllegalArgumentException("a checkpoint that skips names what it skips");
      }
      long last = -1;
      for (Skip each : skipped) {
        if (each.position() <= last || each.position() > position) {
          throw new IllegalArgumentException(
              "position "
                  + each.position()
                  + " is skipped behind "
                  + last
                  + " by a checkpoint at "
                  + position);
        }
        last = each.position();
      }
    }

    /** The checkpoint without what it skips. */
    public Checkpoint checkpoint() {
      return new Checkpoint(handle, epoch, position, key);
    }
  }

  /**
   * A change that was left out.
   *
   * @param error why, for people; longer ones than {@link #ERROR_CHARS_MAX} are cut
   */
  record Skip(long position, PrimaryKey key, String error) {
    /** Refuses null and cuts the error. */
    public Skip {
      Objects.requireNonNull(key, "key");
      error = cut(error);
    }
  }

  /**
   * What is stored of a change that was left out.
   *
   * @param position of a base channel: the number of the row, see {@link Checkpoint}
   * @param error why, for people
   * @param skippedMs when the checkpoint that passed it was stored
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
   * The changes that a tunnel's workers left out.
   *
   * @param count how many in all; one that was left out again after a seek counts once as long as
   *     it is among the last
   * @param last the last of them, oldest first, up to {@link #LAST_MAX}
   */
  record Skipped(long count, List<SkippedChange> last) {
    /** Changes that are kept of a tunnel. */
    public static final int LAST_MAX = 100;

    /** None. */
    public static final Skipped NONE = new Skipped(0, List.of());

    /** Copies the list. */
    public Skipped {
      last = List.copyOf(Objects.requireNonNull(last, "last"));
    }
  }

  /**
   * Where processing fails.
   *
   * @param position of the change, or of the first of several
   * @param key its key
   * @param changes how many changes were processed together from there on; 1 when it is known which
   *     of them fails
   */
  record FailedChange(long position, PrimaryKey key, int changes) {
    /** Refuses null. */
    public FailedChange {
      Objects.requireNonNull(key, "key");
    }
  }

  /**
   * A channel whose processing failed and is tried again.
   *
   * @param at where; absent when its processor cannot be made
   * @param attempts how often it has failed
   * @param forMs how long ago the first of these attempts failed
   * @param nextInMs when the next begins; 0 while it runs
   * @param error of the last, for people
   */
  record Retry(Optional<FailedChange> at, int attempts, long forMs, long nextInMs, String error) {
    /** Cuts the error. */
    public Retry {
      at = at == null ? Optional.empty() : at;
      error = cut(error);
    }
  }

  /** A channel of the session, by its handle there, that is retried. */
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
