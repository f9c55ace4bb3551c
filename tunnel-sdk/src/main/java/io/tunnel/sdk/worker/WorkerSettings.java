package io.tunnel.sdk.worker;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.transport.BackoffCore;
import java.time.Duration;

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
    WorkerChannelCore.Limits channel,
    Processing processing,
    Duration shutdownDeadline) {

  private static final long RECONNECT_FIRST_MS = 20;
  private static final long RETRY_FIRST_MS = 50;
  private static final long RESTART_FIRST_MS = 1_000;
  private static final long RESTART_MS_MAX = 60_000;
  private static final int HEARTBEATS_PER_LEASE = 3;

  /**
   * What the session is opened with.
   *
   * @param clientTag what the worker calls itself
   * @param lease how long the session outlives silence
   * @param heartbeat between two heartbeats
   * @param maxChannels channels held at most; 0 for any number
   * @param reconnect pauses between attempts to open a session
   */
  record Session(
      String clientTag,
      Duration lease,
      Duration heartbeat,
      int maxChannels,
      BackoffCore reconnect) {}

  /**
   * How processors are called.
   *
   * @param threads that call them at most
   * @param retry pauses before the same input is tried again
   * @param restart pauses before a channel is taken up again that had failed
   */
  record Processing(int threads, BackoffCore retry, BackoffCore restart) {}

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
    int threads = config.getProcessorThreads();
    int parallel = config.getMaxChannelParallel();
    return new WorkerSettings(
        tunnelId,
        client,
        new Session(
            config.getClientTag(),
            lease,
            asked.compareTo(often) < 0 ? asked : often,
            config.getMaxChannels(),
            BackoffCore.ofMillis(Math.min(RECONNECT_FIRST_MS, retryMaxMs), retryMaxMs)),
        new WorkerChannelCore.Limits(
            config.getChannelCreditBytes(),
            config.getProcessRowsMax(),
            config.getProcessBytesMax(),
            config.getProcessAttemptsMax(),
            checkpointsByItself ? config.getCheckpointIntervalInMillis() * 1_000_000 : 0),
        new Processing(
            parallel > 0 ? Math.min(threads, parallel) : threads,
            BackoffCore.ofMillis(Math.min(RETRY_FIRST_MS, retryMaxMs), retryMaxMs),
            BackoffCore.ofMillis(RESTART_FIRST_MS, RESTART_MS_MAX)),
        Duration.ofMillis(config.getShutdownDeadlineInMillis()));
  }
}
