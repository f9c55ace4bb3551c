package io.tunnel.sdk.worker;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.ReconnectCore;
import io.tunnel.sdk.worker.channel.ChannelLimits;
import io.tunnel.sdk.worker.input.BudgetCore;
import io.tunnel.sdk.worker.input.RetryRules;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The options of one worker, as they were when it was made.
 *
 * @param tunnelId the tunnel
 * @param client how to reach the server
 * @param session what the session is opened with
 * @param channel what each channel may use
 * @param processing how processors are called
 * @param shutdownDeadline how long a graceful end may take
 */
public record WorkerSettings(
    String tunnelId,
    ClientConfig client,
    Session session,
    ChannelLimits channel,
    Processing processing,
    Duration shutdownDeadline) {

  private static final long RETRY_FIRST_MS = 100;
  private static final int CHANNEL_BYTES_MIN = 64 << 10;
  private static final int HEARTBEATS_PER_LEASE = 3;

  /**
   * What the session is opened with.
   *
   * @param clientTag what the worker calls itself
   * @param lease how long the session outlives silence
   * @param heartbeat between two heartbeats
   * @param maxChannels channels held at most; 0 for any number
   * @param reconnect pauses between attempts to open a session, or to find who delivers
   * @param listener hears what the worker does
   */
  record Session(
      String clientTag,
      Duration lease,
      Duration heartbeat,
      int maxChannels,
      ReconnectCore reconnect,
      Optional<ITunnelWorkerListener> listener) {}

  /**
   * How processors are called.
   *
   * @param threads that call them at most
   * @param rules decide what happens when a processor throws and there is no policy
   * @param policy decides what happens when a processor throws
   * @param buffers what may wait for them
   */
  record Processing(
      int threads, RetryRules rules, Optional<FailurePolicy> policy, Buffers buffers) {}

  /**
   * What may be delivered and wait.
   *
   * @param bytesMax of all channels together
   * @param channelBytesMax of one channel
   */
  record Buffers(long bytesMax, int channelBytesMax) {
    BudgetCore<ChannelRunner> budget() {
      return new BudgetCore<>(bytesMax, CHANNEL_BYTES_MIN, channelBytesMax);
    }
  }

  /**
   * Reads the options.
   *
   * @param checkpointsByItself whether the worker checkpoints, and not the processor
   */
  public static WorkerSettings of(
      String tunnelId,
      ClientConfig client,
      TunnelWorkerConfig config,
      boolean checkpointsByItself) {
    long retryMaxMs = config.getMaxRetryIntervalInMillis();
    Duration lease = Duration.ofSeconds(config.getHeartbeatTimeoutInSec());
    Duration often = lease.dividedBy(HEARTBEATS_PER_LEASE);
    Duration asked = Duration.ofSeconds(config.getHeartbeatIntervalInSec());
    int threads = config.processorThreads();
    int parallel = config.getMaxChannelParallel();
    return new WorkerSettings(
        tunnelId,
        client,
        new Session(
            config.getClientTag(),
            lease,
            asked.compareTo(often) < 0 ? asked : often,
            config.maxChannels(),
            ReconnectCore.ofMillis(retryMaxMs),
            config.listener()),
        new ChannelLimits(
            config.processRowsMax(),
            config.processBytesMax(),
            checkpointsByItself ? config.getCheckpointIntervalInMillis() * 1_000_000 : 0),
        new Processing(
            parallel > 0 ? Math.min(threads, parallel) : threads,
            rules(config),
            config.failurePolicy(),
            new Buffers(config.bufferBytesMax(), config.channelCreditBytes())),
        Duration.ofMillis(config.shutdownDeadlineInMillis()));
  }

  /** These settings for the tunnel with that id. */
  public WorkerSettings of(String id) {
    return new WorkerSettings(id, client, session, channel, processing, shutdownDeadline);
  }

  private static RetryRules rules(TunnelWorkerConfig config) {
    long pauseMaxMs = config.processPauseMaxInMillis();
    return new RetryRules(
        BackoffCore.ofMillis(Math.min(RETRY_FIRST_MS, pauseMaxMs), pauseMaxMs),
        TimeUnit.MILLISECONDS.toNanos(config.processRetryInMillis()),
        config.processAttemptsMax(),
        config.isSkippedFailure(),
        config.skipsAfterRetries());
  }
}
