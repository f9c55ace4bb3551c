package io.tunnel.sdk;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.tunnel.RetryInfo;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * State and progress of a worker.
 *
 * @param state state of the worker
 * @param sessionId id of the current session; absent while there is none
 * @param channels the channels that the worker holds
 * @param counters counters since the start of the worker
 * @param lastError the last failure, for people; absent before the first failure
 * @param activity state of the session
 */
public record TunnelWorkerStatus(
    State state,
    Optional<String> sessionId,
    List<ChannelProgress> channels,
    Counters counters,
    Optional<String> lastError,
    Activity activity) {

  /** States of a worker. */
  public enum State {
    /** Not started, or the start failed: the worker may be started. */
    WORKER_READY,
    /** The worker has a session, or opens a session as soon as it can reach the server. */
    WORKER_STARTED,
    /** The worker was shut down. */
    WORKER_ENDED,
    /** The worker stopped after a failure that no retry can cure, see the last error. */
    WORKER_HALT
  }

  /** States of a worker's session. */
  public enum Phase {
    /** The worker does not run. */
    NONE,
    /** The worker connects and opens a session. */
    CONNECTING,
    /** The worker has a session. */
    WORKING,
    /** The worker has no session, and waits before the next attempt. */
    PAUSING,
    /** The worker waits for callbacks and gives its channels back. */
    ENDING
  }

  /**
   * State of a worker's session.
   *
   * @param retryInMs time until the next attempt to open a session; 0 unless the phase is PAUSING
   */
  public record Activity(Phase phase, long retryInMs) {
    /** The worker does not run. */
    public static final Activity NONE = new Activity(Phase.NONE, 0);

    /** Refuses null. */
    public Activity {
      Objects.requireNonNull(phase, "phase");
    }
  }

  /**
   * A channel that the worker holds.
   *
   * @param type type of the channel
   * @param state state of the channel, for people
   * @param epoch epoch of the worker's holding
   * @param processed the worker has processed all changes up to this position
   * @param checkpointed position of the last stored checkpoint
   * @param bufferedBytes bytes that are delivered and not processed
   * @param retry the retry under way while the processor fails
   */
  public record ChannelProgress(
      String channelId,
      int partition,
      ChannelType type,
      String state,
      long epoch,
      long processed,
      long checkpointed,
      long bufferedBytes,
      Optional<RetryInfo> retry) {

    /** The {@link #state} of a channel whose processing is retried. */
    public static final String RETRYING = "RETRYING";

    /** This progress during a retry of the processor. */
    public ChannelProgress retrying(RetryInfo how) {
      return new ChannelProgress(
          channelId,
          partition,
          type,
          RETRYING,
          epoch,
          processed,
          checkpointed,
          bufferedBytes,
          Optional.of(how));
    }
  }

  /**
   * Counters since the start of a worker.
   *
   * @param sessions opened sessions; more than one after a reconnect
   * @param fenced channels that the worker lost to a seek or to another holder
   * @param failed channels that stopped and wait for an operator, because their processor kept
   *     failing or the server cannot read them
   * @param checkpoints checkpoints that the server has stored
   * @param retries attempts to process an input after a failure
   * @param skipped skipped changes
   */
  public record Counters(
      long sessions, long fenced, long failed, long checkpoints, long retries, long skipped) {}

  /** Refuses null. */
  public TunnelWorkerStatus {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(sessionId, "sessionId");
    channels = List.copyOf(channels);
    Objects.requireNonNull(counters, "counters");
    Objects.requireNonNull(lastError, "lastError");
    Objects.requireNonNull(activity, "activity");
  }

  /** The status of a worker that does not run. */
  public TunnelWorkerStatus(
      State state,
      Optional<String> sessionId,
      List<ChannelProgress> channels,
      Counters counters,
      Optional<String> lastError) {
    this(state, sessionId, channels, counters, lastError, Activity.NONE);
  }
}
