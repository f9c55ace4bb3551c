package io.tunnel.sdk;

import io.tunnel.sdk.processor.IChannelProcessorFactory;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.worker.ProcessorSource;
import io.tunnel.sdk.worker.WorkerLoop;
import io.tunnel.sdk.worker.WorkerPorts;
import io.tunnel.sdk.worker.WorkerSettings;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs processors on the channels of a tunnel that the server assigns to it: one callback at a time
 * per channel, channels in parallel. Start as many workers as you like, in one process or in many:
 * they share the channels evenly.
 *
 * <p>Changes of a channel arrive in order and at least once: after a crash, those behind the last
 * checkpoint come again. A graceful end or move repeats none. When the connection or the session is
 * lost, the worker opens another by itself; its channels are dropped and assigned anew.
 *
 * <p>Its threads are daemons: a program that does nothing else must wait by itself.
 *
 * <p>A processor that keeps throwing stops its channel: what it had processed is checkpointed, and
 * the channel is given back with the error and waits until an operator resumes it. Other channels
 * go on.
 */
public final class TunnelWorker implements ITunnelWorker, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TunnelWorker.class);
  private static final long INTERRUPT_MS = 1_000;

  private final WorkerSettings settings;
  private final ProcessorSource processors;

  /** Finds the tunnel's id by its names; empty when the id was given. */
  private final Optional<Supplier<String>> finder;

  private Optional<WorkerLoop> run = Optional.empty();
  private boolean isShutDown;

  /**
   * A worker whose channels share the configuration's processor and are checkpointed on an
   * interval. The processor must be thread-safe; its {@code shutdown} is called once, when the
   * worker ends.
   *
   * @throws IllegalArgumentException when the configuration has no processor
   */
  public TunnelWorker(String tunnelId, TunnelClient client, TunnelWorkerConfig config) {
    this(tunnelId, client, config, sharedProcessor(config));
  }

  /**
   * A worker with a processor per channel, made by {@code factory}, which checkpoints by itself.
   * Its {@code shutdown} is called once per channel, when that ends.
   */
  public TunnelWorker(
      String tunnelId,
      TunnelClient client,
      TunnelWorkerConfig config,
      IChannelProcessorFactory factory) {
    this(
        tunnelId,
        client,
        config,
        new ProcessorSource.PerChannel(Objects.requireNonNull(factory, "factory")));
  }

  private TunnelWorker(
      String tunnelId, TunnelClient client, TunnelWorkerConfig config, ProcessorSource processors) {
    this(tunnelId, Optional.empty(), client, config, processors);
  }

  private TunnelWorker(
      String tunnelId,
      Optional<Supplier<String>> finder,
      TunnelClient client,
      TunnelWorkerConfig config,
      ProcessorSource processors) {
    this.processors = processors;
    this.finder = finder;
    this.settings =
        WorkerSettings.of(
            Objects.requireNonNull(tunnelId, "tunnelId"),
            client.config(),
            config,
            processors instanceof ProcessorSource.Shared);
  }

  /**
   * A worker of the tunnel that has this name at its table when {@link #connectAndWorking} is
   * called, whose channels share the configuration's processor.
   *
   * @throws IllegalArgumentException when the configuration has no processor
   */
  public static TunnelWorker of(
      String tableName, String tunnelName, TunnelClient client, TunnelWorkerConfig config) {
    return named(tableName, tunnelName, client, config, sharedProcessor(config));
  }

  /** As {@link #of(String, String, TunnelClient, TunnelWorkerConfig)}, with a factory. */
  public static TunnelWorker of(
      String tableName,
      String tunnelName,
      TunnelClient client,
      TunnelWorkerConfig config,
      IChannelProcessorFactory factory) {
    ProcessorSource processors =
        new ProcessorSource.PerChannel(Objects.requireNonNull(factory, "factory"));
    return named(tableName, tunnelName, client, config, processors);
  }

  private static TunnelWorker named(
      String tableName,
      String tunnelName,
      TunnelClient client,
      TunnelWorkerConfig config,
      ProcessorSource processors) {
    DescribeTunnelRequest name = new DescribeTunnelRequest(tableName, tunnelName);
    Supplier<String> finder = () -> client.describeTunnel(name).getTunnelInfo().getTunnelId();
    String text = tableName + "/" + tunnelName;
    return new TunnelWorker(text, Optional.of(finder), client, config, processors);
  }

  private static ProcessorSource sharedProcessor(TunnelWorkerConfig config) {
    if (config.getChannelProcessor() == null) {
      throw new IllegalArgumentException(
          "the configuration has no processor: set one, or give a factory");
    }
    return new ProcessorSource.Shared(config.getChannelProcessor());
  }

  /**
   * Opens a session and starts to process; returns when the session is open. When this throws, it
   * may be called again.
   *
   * @throws io.tunnel.model.RefusedException when the server refuses for good, {@code
   *     TUNNEL_NOT_FOUND} for example (with names also {@code TABLE_NOT_FOUND}), or for now and
   *     longer than {@link ClientConfig#retryDeadline}
   * @throws ConnectionException when the server cannot be reached within {@link
   *     ClientConfig#retryDeadline}
   * @throws IllegalStateException when the worker runs already, has halted or was shut down
   */
  @Override
  public void connectAndWorking() {
    EventLoops.requireMayBlock("connectAndWorking");
    WorkerLoop next = begin(finder.map(id -> settings.of(id.get())).orElse(settings));
    try {
      var unused = Caller.await(next.start());
    } catch (RuntimeException e) {
      forget(next);
      throw e;
    }
  }

  private synchronized WorkerLoop begin(WorkerSettings found) {
    if (isShutDown) {
      throw new IllegalStateException("the worker was shut down");
    }
    run.ifPresent(TunnelWorker::refuseAnother);
    WorkerLoop next = new WorkerLoop(found, processors, WorkerPorts.real(found));
    run = Optional.of(next);
    return next;
  }

  private static void refuseAnother(WorkerLoop running) {
    TunnelWorkerStatus status = running.status();
    throw new IllegalStateException(
        status.state() == TunnelWorkerStatus.State.WORKER_HALT
            ? "the worker has halted: make another when the cause is cured, which is "
                + status.lastError().orElse("unknown")
            : "the worker runs already");
  }

  private synchronized void forget(WorkerLoop failed) {
    if (run.isPresent() && run.get() == failed && !isShutDown) {
      run = Optional.empty();
    }
  }

  /**
   * Ends gracefully: running callbacks finish, everything processed is checkpointed (unless
   * processors do that themselves), the channels are given back, processors are shut down. Returns
   * when that is done or {@link TunnelWorkerConfig#shutdownDeadlineInMillis} has passed, after
   * which callbacks are interrupted and the server hands the channels on by itself; at once when
   * called from a processor, a listener or another callback of the SDK. A thread that is
   * interrupted waits all the same, and stays interrupted. Idempotent.
   */
  @Override
  public void shutdown() {
    Optional<WorkerLoop> running;
    synchronized (this) {
      isShutDown = true;
      running = run;
    }
    running.ifPresent(this::end);
  }

  /** {@link #shutdown}, for a try that opens the worker. */
  @Override
  public void close() {
    shutdown();
  }

  private void end(WorkerLoop running) {
    CompletableFuture<Void> ended = running.shutdown();
    if (EventLoops.isCallbackThread() || running.isOwnThread()) {
      return;
    }
    if (!isDoneIn(settings.shutdownDeadline().toMillis(), ended)) {
      LOG.warn(
          "processors of tunnel {} did not finish within {}; interrupting them",
          settings.tunnelId(),
          settings.shutdownDeadline());
      running.abandon();
      var unused = isDoneIn(INTERRUPT_MS, ended);
    }
  }

  /** Waits though the thread is interrupted, which it stays: the wait is bounded. */
  private static boolean isDoneIn(long millis, CompletableFuture<Void> ended) {
    return ended
        .thenApply(nothing -> true)
        .completeOnTimeout(false, millis, TimeUnit.MILLISECONDS)
        .join();
  }

  /** How the worker is. */
  public synchronized TunnelWorkerStatus status() {
    if (run.isPresent()) {
      return run.get().status();
    }
    return new TunnelWorkerStatus(
        isShutDown ? TunnelWorkerStatus.State.WORKER_ENDED : TunnelWorkerStatus.State.WORKER_READY,
        Optional.empty(),
        List.of(),
        new TunnelWorkerStatus.Counters(0, 0, 0, 0, 0, 0),
        Optional.empty());
  }
}
