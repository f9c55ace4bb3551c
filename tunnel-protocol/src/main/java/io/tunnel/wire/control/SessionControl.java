package io.tunnel.wire.control;

import io.tunnel.codec.Utf8;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.Optional;

/** The payloads of operations about sessions of workers and their channels. */
public sealed interface SessionControl extends Control {

  /**
   * Opens a session of a worker.
   *
   * @param tunnelId the id of the tunnel
   * @param clientTag the worker's name for people; cut after {@link #CLIENT_TAG_CHARS_MAX}
   *     characters, and unpaired surrogates become question marks
   * @param leaseMs how long the session lives without a heartbeat
   * @param maxChannels the most channels that the worker takes; 0 for no limit
   */
  record OpenSession(String tunnelId, String clientTag, long leaseMs, int maxChannels)
      implements SessionControl {
    /** The most characters of a tag. */
    public static final int CLIENT_TAG_CHARS_MAX = 256;

    /** Refuses null and invalid limits; cuts the tag. */
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
   * @param silenceMs the silence after which the server may have been replaced by another node; 0
   *     for a single server
   */
  record SessionOpened(String sessionId, TableMeta table, long silenceMs)
      implements SessionControl {
    /** Refuses null and a negative time. */
    public SessionOpened {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(table, "table");
      if (silenceMs < 0) {
        throw new IllegalArgumentException("silenceMs is at least 0, not " + silenceMs);
      }
    }

    /** The answer of a single server. */
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
   * A channel now belongs to the session. The worker attaches to the channel at the leader of its
   * partition.
   *
   * @param handle names the channel on this connection
   * @param checkpointed the last processed change; delivery starts after it
   * @param type the contents of the channel
   * @param leader HOST:PORT of the partition's leader; absent when the sender leads or the leader
   *     is unknown, and the worker then asks the sender
   * @param key BaseData only: the encoded key of the row at {@code checkpointed}; empty before the
   *     first row
   * @param end the last position of the channel, if known
   * @param endMs the tunnel's end in time, if any
   * @param grant proves to the leader that the session holds the channel under this epoch, and goes
   *     into {@code ATTACH}
   * @param incarnation the incarnation of {@code checkpointed}, if stored; goes into {@code ATTACH}
   */
  record Assignment(
      String sessionId,
      String channelId,
      int partition,
      int handle,
      long epoch,
      long checkpointed,
      ChannelType type,
      Optional<String> leader,
      Bytes key,
      Optional<Long> end,
      Optional<Long> endMs,
      Bytes grant,
      Optional<Long> incarnation)
      implements SessionControl {
    /** Refuses null, but for the options. */
    public Assignment {
      Objects.requireNonNull(sessionId, "sessionId");
      Objects.requireNonNull(channelId, "channelId");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(grant, "grant");
      leader = leader == null ? Optional.empty() : leader;
      end = end == null ? Optional.empty() : end;
      endMs = endMs == null ? Optional.empty() : endMs;
      incarnation = incarnation == null ? Optional.empty() : incarnation;
    }

    /**
     * An assignment of a channel without an end and with an empty grant, by the partition's server.
     */
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
          Optional.empty(),
          Bytes.EMPTY,
          Optional.empty(),
          Optional.empty(),
          Bytes.EMPTY,
          Optional.empty());
    }
  }

  /**
   * Asks the worker to give a channel back.
   *
   * @param deadlineMs milliseconds until the server takes the channel
   */
  record Revocation(String sessionId, int handle, long epoch, long deadlineMs)
      implements SessionControl {
    /** Refuses null. */
    public Revocation {
      Objects.requireNonNull(sessionId, "sessionId");
    }
  }

  /**
   * The session has lost a channel: deliveries end, and the server refuses further requests about
   * the channel.
   *
   * @param reason the reason, for people
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
   * @param code {@code SESSION_ENDED}, or {@code TUNNEL_NOT_FOUND} when a new session would be
   *     refused, too
   * @param reason the reason, for people
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
   * The worker cannot continue a channel. The server takes the channel back and assigns it to no
   * session until an operator resumes it.
   *
   * @param error the reason, for people; cut after {@link #ERROR_CHARS_MAX} characters
   * @param at the failing change, if a change failed
   * @param code the code of a refusal, if the server refused to deliver. For POSITION_REPLACED the
   *     service checks whether the progress was lost; if so, it takes the progress back and does
   *     not stop the channel
   */
  record StopChannel(
      int handle,
      long epoch,
      String error,
      Optional<FailureControl.FailedChange> at,
      Optional<ErrorCode> code)
      implements SessionControl {
    /** The most characters of an error. */
    public static final int ERROR_CHARS_MAX = 1_000;

    /** Refuses null and cuts the error. */
    public StopChannel {
      error = Utf8.start(Objects.requireNonNull(error, "error"), ERROR_CHARS_MAX);
      at = at == null ? Optional.empty() : at;
      code = code == null ? Optional.empty() : code;
    }

    /** A channel stopped without a refusal. */
    public StopChannel(
        int handle, long epoch, String error, Optional<FailureControl.FailedChange> at) {
      this(handle, epoch, error, at, Optional.empty());
    }

    /** A channel stopped without a failing change. */
    public StopChannel(int handle, long epoch, String error) {
      this(handle, epoch, error, Optional.empty(), Optional.empty());
    }
  }
}
