package io.tunnel.sdk;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.tunnel.RetryInfo;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a worker is.
 *
 * @param state what it does
 * @param sessionId its session; absent while it has none
 * @param channels the channels that it holds
 * @param counters what has happened since it started
 * @param lastError the last trouble in words for people; absent when there was none
 * @param activity what it is doing about its session
 */
public record TunnelWorkerStatus(
    State state,
    Optional<String> sessionId,
    List<ChannelProgress> channels,
    Counters counters,
    Optional<String> lastError,
    Activity activity) {

  /** What a worker does. */
  public enum State {
    /** Made, and not started, or not with success: it may be started. */
    WORKER_READY,
    /** It has a session, or will have one by itself as soon as the server can be reached. */
    WORKER_STARTED,
    /** It was shut down. */
    WORKER_ENDED,
    /** It stopped for a reason that waiting does not cure, see the last error. */
    WORKER_HALT
  }

  /** What a worker does about its session. */
  public enum Phase {
    /** It does not run. */
    NONE,
    /** It connects and opens a session. */
    CONNECTING,
    /** It has a session. */
    WORKING,
    /** It has none, and waits before it tries again. */
    PAUSING,
    /** It lets callbacks finish and gives its channels back. */
    ENDING
  }

  /**
   * What a worker does about its session.
   *
   * @param retryInMs how long it still waits; 0 unless it is pausing
   */
  public record Activity(Phase phase, long retryInMs) {
    /** It does not run. */
    public static final Activity NONE = new Activity(Phase.NONE, 0);

    /** Refuses null. */
    public Activity {
      Objects.requireNonNull(phase, "phase");
    }
  }

  /**
   * A channel that the worker holds.
   *
   * @param type what it carries
   * @param state what is done with it, in words for people
   * @param epoch this holding's number
   * @param processed every change up to this position was processed
   * @param checkpointed every change up to this position is known to be checkpointed
   * @param bufferedBytes bytes that were delivered and are not processed yet
   * @param retry how it is retried, while its processor fails
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

    /** What {@link #state} says of a channel whose processing failed and is tried again. */
    public static final String RETRYING = "RETRYING";

    /** This progress while the processor's input is retried. */
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
   * What has happened since a worker started.
   *
   * @param sessions sessions opened; more than one means that it had to reconnect
   * @param fenced channels whose holding was over: moved by a seek, or given to another holder
   * @param failed channels that wait for an operator, because their processor kept failing or the
   *     server cannot read them
   * @param checkpoints checkpoints that the server has stored
   * @param retries attempts to process after one that had failed
   * @param skipped changes that were left out
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

  /** A worker that does not run. */
  public TunnelWorkerStatus(
      State state,
      Optional<String> sessionId,
      List<ChannelProgress> channels,
      Counters counters,
      Optional<String> lastError) {
    this(state, sessionId, channels, counters, lastError, Activity.NONE);
  }
}
