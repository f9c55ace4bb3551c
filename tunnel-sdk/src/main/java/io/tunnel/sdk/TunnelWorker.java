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
 * Runs processors on the channels of a tunnel that the server assigns to this worker: channels run
 * in parallel, with one callback at a time for each channel. Any number of workers, in one process
 * or in many, share the channels evenly.
 *
 * <p>Changes of a channel arrive in order and at least once: after a crash, the changes behind the
 * last checkpoint arrive again. A graceful end or move repeats no change. After the loss of its
 * connection or session, the worker opens a new session, and the server assigns the channels again.
 *
 * <p>The threads of a worker are daemons: a program without further work has to wait.
 *
 * <p>A processor that keeps throwing stops its channel: the worker checkpoints all processed
 * changes and gives the channel back with the error. The channel waits until an operator resumes
 * it. Other channels go on.
 */
public final class TunnelWorker implements ITunnelWorker, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TunnelWorker.class);
  private static final long INTERRUPT_MS = 1_000;

  private final WorkerSettings settings;
  private final ProcessorSource processors;

  /** Looks up the tunnel's id by its name; empty when the id was given. */
  private final Optional<Supplier<String>> finder;

  private Optional<WorkerLoop> run = Optional.empty();
  private boolean isShutDown;

  /**
   * A worker whose channels share the processor of the configuration. The worker checkpoints the
   * channels periodically. The processor must be thread-safe; the worker calls its {@code shutdown}
   * once, at the end of the worker.
   *
   * @throws IllegalArgumentException when the configuration has no processor
   */
  public TunnelWorker(String tunnelId, TunnelClient client, TunnelWorkerConfig config) {
    this(tunnelId, client, config, sharedProcessor(config));
  }

  /**
   * A worker with a processor for each channel, made by {@code factory}. The processors checkpoint
   * by themselves; the worker calls {@code shutdown} of a processor at the end of its channel.
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
   * A worker of a tunnel by name, whose channels share the processor of the configuration. {@link
   * #connectAndWorking} looks the name up.
   *
   * @throws IllegalArgumentException when the configuration has no processor
   */
  public static TunnelWorker of(
      String tableName, String tunnelName, TunnelClient client, TunnelWorkerConfig config) {
    return named(tableName, tunnelName, client, config, sharedProcessor(config));
  }

  /** A worker of a tunnel by name, with a processor for each channel, made by {@code factory}. */
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
          "the configuration has no processor: set a processor, or pass a factory");
    }
    return new ProcessorSource.Shared(config.getChannelProcessor());
  }

  /**
   * Opens a session and begins to process; returns when the session is open. May be called again
   * after an exception.
   *
   * @throws io.tunnel.model.RefusedException when the server refuses permanently, for example with
   *     {@code TUNNEL_NOT_FOUND} or (by name) {@code TABLE_NOT_FOUND}, or refuses temporarily for
   *     longer than {@link ClientConfig#retryDeadline}
   * @throws ConnectionException when the server cannot be reached within {@link
   *     ClientConfig#retryDeadline}
   * @throws IllegalStateException when the worker runs, has halted or was shut down
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
            ? "the worker has halted; repair the cause, then make a new worker; the cause: "
                + status.lastError().orElse("unknown")
            : "the worker runs already");
  }

  private synchronized void forget(WorkerLoop failed) {
    if (run.isPresent() && run.get() == failed && !isShutDown) {
      run = Optional.empty();
    }
  }

  /**
   * Ends gracefully: running callbacks finish, the worker checkpoints all processed changes (unless
   * processors checkpoint by themselves), gives the channels back, and shuts processors down.
   * Returns after these steps, or after {@link TunnelWorkerConfig#shutdownDeadlineInMillis}: then
   * the worker interrupts its callbacks, and the server passes the channels on. Returns at once
   * when called from a processor, a listener or a further callback of the SDK. An interrupted
   * thread waits too, and stays interrupted. Idempotent.
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

  /** Calls {@link #shutdown}, for try-with-resources. */
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
          "tunnel {}: processors did not finish within {}; interrupting them",
          settings.tunnelId(),
          settings.shutdownDeadline());
      running.abandon();
      var unused = isDoneIn(INTERRUPT_MS, ended);
    }
  }

  /** Waits even if the thread is interrupted, and leaves it interrupted: the wait is bounded. */
  private static boolean isDoneIn(long millis, CompletableFuture<Void> ended) {
    return ended
        .thenApply(nothing -> true)
        .completeOnTimeout(false, millis, TimeUnit.MILLISECONDS)
        .join();
  }

  /** State and progress of the worker. */
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
