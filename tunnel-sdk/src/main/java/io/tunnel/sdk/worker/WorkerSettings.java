package io.tunnel.sdk.worker;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.ReconnectCore;
import io.tunnel.sdk.worker.channel.ChannelLimits;
import io.tunnel.sdk.worker.input.RetryRules;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The options of one worker, read once when the worker is made.
 *
 * @param tunnelId id of the tunnel
 * @param client connection options
 * @param session options of the session
 * @param channel limits of each channel
 * @param processing options for calls of processors
 * @param shutdownDeadline longest graceful shutdown
 */
public record WorkerSettings(
    String tunnelId,
    ClientConfig client,
    Session session,
    ChannelLimits channel,
    Processing processing,
    Duration shutdownDeadline) {

  private static final long RETRY_FIRST_MS = 100;
  private static final int HEARTBEATS_PER_LEASE = 3;

  /**
   * Options of the session.
   *
   * @param clientTag name of the worker in descriptions of the tunnel
   * @param lease time for which the server keeps the session of a silent worker
   * @param heartbeat time between two heartbeats
   * @param maxChannels most channels to hold; 0 for any number
   * @param reconnect pauses between attempts to open a session, or to find the leader of a
   *     partition
   * @param listener observer of the worker
   */
  record Session(
      String clientTag,
      Duration lease,
      Duration heartbeat,
      int maxChannels,
      ReconnectCore reconnect,
      Optional<ITunnelWorkerListener> listener) {}

  /**
   * Options for calls of processors.
   *
   * @param threads most threads that call processors
   * @param rules decide about failures when there is no policy
   * @param policy decides about failures
   * @param bufferBytesMax credit of all channels together, in bytes
   * @param channelBytesMax most credit of one channel, in bytes
   */
  record Processing(
      int threads,
      RetryRules rules,
      Optional<FailurePolicy> policy,
      long bufferBytesMax,
      int channelBytesMax) {}

  /**
   * Reads the options.
   *
   * @param checkpointsByItself true when the worker checkpoints; false when the processor does
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
            config.bufferBytesMax(),
            config.channelCreditBytes()),
        Duration.ofMillis(config.shutdownDeadlineInMillis()));
  }

  /** These settings for the tunnel {@code id}. */
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
