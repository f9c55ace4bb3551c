package io.tunnel.wire.control;

import io.tunnel.codec.Utf8;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Protocol;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations about sessions of workers and the channels that they hold. */
public sealed interface SessionControl extends Control {

  /**
   * Opens a session of a worker.
   *
   * @param tunnelId the tunnel
   * @param clientTag what the worker calls itself, for people; longer ones than {@link
   *     #CLIENT_TAG_CHARS_MAX} are cut, and what UTF-8 cannot hold becomes a question mark
   * @param leaseMs how long the session lives without a heartbeat
   * @param maxChannels channels the worker will hold at most; 0 for any number
   */
  record OpenSession(String tunnelId, String clientTag, long leaseMs, int maxChannels)
      implements SessionControl {
    /** Characters of a tag that are kept. */
    public static final int CLIENT_TAG_CHARS_MAX = 256;

    /** Refuses null and limits that make no sense, and cuts the tag. */
    public OpenSession {
      Objects.requireNonNull(tunnelId, "tunnelId");
      clientTag = Utf8.start(Objects.requireNonNull(clientTag, "clientTag"), CLIENT_TAG_CHARS_MAX);
      if (leaseMs < 1_000 || leaseMs > 3_600_000) {
        throw new IllegalArgumentException(
            "leaseMs is 1000 (a second) to 3600000 (an hour), not " + leaseMs);
      }
      if (maxChannels < 0) {
        throw new IllegalArgumentException("maxChannels is at least 0, not " + maxChannels);
      }
    }
  }

  /**
   * The session is open; assignments follow.
   *
   * @param silenceMs when the node has said nothing for so long, another one may have taken its
   *     place; 0 when there is no other
   */
  record SessionOpened(String sessionId, TableMeta table, long silenceMs)
      implements SessionControl {
    /** Refuses null, and less than no time. */
    public SessionOpened {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(table, "table");
      if (silenceMs < 0) {
        throw new IllegalArgumentException("silenceMs is at least 0, not " + silenceMs);
      }
    }

    /** By a server whose place nobody takes. */
    public SessionOpened(String sessionId, TableMeta table) {
      this(sessionId, table, 0);
    }
  }

  /** Names a session. */
  record SessionId(String sessionId) implements SessionControl {
    /** Refuses null. */
    public SessionId {
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /**
   * A channel now belongs to the session. The server of its partition delivers it to the worker
   * that says {@code ATTACH} there.
   *
   * @param handle names the channel on this connection
   * @param checkpointed every change up to this position was processed; delivery starts behind it
   * @param type what it carries
   * @param isAttached false from a server that is alone to a client without the feature {@link
   *     Protocol#ATTACH}, and from servers of the first release: they deliver on this connection by
   *     themselves, under this handle
   * @param leader HOST:PORT of the node that is said to serve the partition; absent when it is the
   *     one that this is said by, or nobody is known, and then that one is to be asked
   * @param key BaseData only: the encoded key of the row at {@code checkpointed}; empty before the
   *     first
   * @param end the position behind which it ends, if that is known
   * @param endMs the tunnel's, if it has one
   * @param grant proves to the node that delivers it that the session holds the channel under this
   *     epoch, and is said in {@code ATTACH}; absent where the cluster has no key for that
   * @param incarnation of {@code checkpointed}, if it is stored with it; is said in {@code ATTACH}
   */
  record Assignment(
      String sessionId,
      String channelId,
      int partition,
      int handle,
      long epoch,
      long checkpointed,
      ChannelType type,
      boolean isAttached,
      Optional<String> leader,
      Bytes key,
      Optional<Long> end,
      Optional<Long> endMs,
      Optional<Bytes> grant,
      Optional<Long> incarnation)
      implements SessionControl {
    /** Refuses null; a server that does not say the type has stream channels only. */
    public Assignment {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(channelId, "channelId");
      type = type == null ? ChannelType.Stream : type;
      leader = leader == null ? Optional.empty() : leader;
      key = key == null ? Bytes.EMPTY : key;
      end = end == null ? Optional.empty() : end;
      endMs = endMs == null ? Optional.empty() : endMs;
      grant = grant == null ? Optional.empty() : grant;
      incarnation = incarnation == null ? Optional.empty() : incarnation;
    }

    /** As a client is told it that is delivered to without attaching. */
    public Assignment unasked() {
      return new Assignment(
          sessionId,
          channelId,
          partition,
          handle,
          epoch,
          checkpointed,
          type,
          false,
          Optional.empty(),
          Bytes.EMPTY,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }

    /** An assignment of a channel without an end, by the server of its partition. */
    public Assignment(
        String sessionId,
        String channelId,
        int partition,
        int handle,
        long epoch,
        long checkpointed,
        ChannelType type) {
      this(
          sessionId,
          channelId,
          partition,
          handle,
          epoch,
          checkpointed,
          type,
          true,
          Optional.empty(),
          Bytes.EMPTY,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  /**
   * A channel is to be given back.
   *
   * @param deadlineMs how long the worker has from now; then the channel is taken
   */
  record Revocation(String sessionId, int handle, long epoch, long deadlineMs)
      implements SessionControl {
    /** Refuses null. */
    public Revocation {
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /**
   * A channel is no longer the session's: nothing more is delivered on it, and what the worker says
   * about it is refused.
   *
   * @param reason why, for people
   */
  record Fence(String sessionId, int handle, long epoch, String reason) implements SessionControl {
    /** Refuses null. */
    public Fence {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * A session is over, and all its channels are fenced.
   *
   * @param code {@code SESSION_ENDED}, or {@code TUNNEL_NOT_FOUND} when there is no use in opening
   *     another
   * @param reason why, for people
   */
  record SessionEnd(String sessionId, ErrorCode code, String reason) implements SessionControl {
    /** Refuses null. */
    public SessionEnd {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * The worker cannot go on with a channel. It is taken back and given to nobody until an operator
   * resumes it.
   *
   * @param error why, for people; longer ones than {@link #ERROR_CHARS_MAX} are cut
   * @param at the change that it cannot process, if it is one
   * @param code of the refusal that it stops for, if it is one. Of POSITION_REPLACED the service
   *     looks for itself whether the progress was lost, takes it back if so, and goes on with the
   *     channel; nothing is stopped then
   */
  record StopChannel(
      int handle,
      long epoch,
      String error,
      Optional<FailureControl.FailedChange> at,
      Optional<ErrorCode> code)
      implements SessionControl {
    /** Characters of an error that are kept. */
    public static final int ERROR_CHARS_MAX = 1_000;

    /** Refuses null and cuts the error. */
    public StopChannel {
      error = Utf8.start(Objects.requireNonNull(error, "error"), ERROR_CHARS_MAX);
      at = at == null ? Optional.empty() : at;
      code = code == null ? Optional.empty() : code;
    }

    /** A channel that nobody has refused to deliver. */
    public StopChannel(
        int handle, long epoch, String error, Optional<FailureControl.FailedChange> at) {
      this(handle, epoch, error, at, Optional.empty());
    }

    /** A channel that is stopped at no change in particular. */
    public StopChannel(int handle, long epoch, String error) {
      this(handle, epoch, error, Optional.empty(), Optional.empty());
    }
  }
}
