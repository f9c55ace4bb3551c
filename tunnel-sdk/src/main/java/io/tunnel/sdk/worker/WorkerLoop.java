package io.tunnel.sdk.worker;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.TunnelWorkerStatus.Activity;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.ITunnelWorkerListener.CloseReason;
import io.tunnel.sdk.worker.channel.Ending;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a worker, from its start to a shutdown or a permanent refusal: keeps a session open,
 * and opens the next one when a session is lost. The worker's thread owns the state. No method
 * blocks: callers wait for the returned futures.
 */
public final class WorkerLoop {

  /** Refusals of a session that no retry can cure. */
  private static final Set<ErrorCode> PERMANENT =
      EnumSet.of(
          ErrorCode.TUNNEL_NOT_FOUND,
          ErrorCode.UNSUPPORTED_VERSION,
          ErrorCode.UNKNOWN_OPERATION,
          ErrorCode.INVALID_REQUEST);

  /** Least credit of a channel, however many channels share the budget. */
  private static final int CHANNEL_BYTES_MIN = 64 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(WorkerLoop.class);

  private final WorkerRuntime runtime;
  private final Notices notices;
  private final ChannelTurns<ChannelRunner> turns;
  private final SessionOpening opening;
  private final CompletableFuture<Void> started = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final long startedNanos;
  private final WorkerCounts counts;
  private volatile Optional<WorkerSession> session = Optional.empty();
  private volatile boolean isHalted;
  private volatile long retryAtNanos;
  private volatile Phase phase = Phase.CONNECTING;
  private int failures;
  private boolean isClosingSession;

  /** A worker that has not started. */
  public WorkerLoop(WorkerSettings settings, ProcessorSource processors, WorkerPorts ports) {
    this.notices = new Notices(settings, ports.processors());
    this.counts = new WorkerCounts(settings.client().meter(), settings.tunnelId());
    this.runtime = new WorkerRuntime(settings, processors, ports, notices, counts, this::broken);
    this.turns =
        new ChannelTurns<>(
            settings.processing().bufferBytesMax(),
            CHANNEL_BYTES_MIN,
            settings.processing().channelBytesMax(),
            this::counted);
    this.opening = new SessionOpening(runtime);
    this.startedNanos = runtime.nowNanos();
  }

  /**
   * Opens a session. The future completes when the session is open. It fails with a permanent
   * refusal of the server, or with a {@link ConnectionException} when the server cannot be reached
   * within the client's retry deadline or for a lasting reason. Called once.
   */
  public CompletableFuture<Void> start() {
    runtime.post(this::connect);
    return started;
  }

  private void connect() {
    if (phase == Phase.ENDING || phase == Phase.NONE) {
      return;
    }
    if (phase == Phase.PAUSING) {
      move(Phase.CONNECTING, "the pause is over");
    }
    int attempt = failures + 1;
    tell(listener -> listener.connecting(attempt));
    WorkerSession next = new WorkerSession(runtime, this, turns, opening);
    session = Optional.of(next);
    next.open();
  }

  /** The session is open. */
  void opened(WorkerSession opened) {
    if (phase != Phase.CONNECTING) {
      opened.close();
      return;
    }
    move(Phase.WORKING, "the session is open");
    counts.sessionOpened();
    LOG.info("session {} of tunnel {} is open", opened.sessionId(), runtime.settings().tunnelId());
    String id = opened.sessionId();
    tell(listener -> listener.sessionOpened(id));
    started.complete(null);
  }

  private void tell(Consumer<ITunnelWorkerListener> notice) {
    notices.tell(notice);
  }

  private void counted(int channels) {
    counts.held(channels);
    runtime.threads().fitTo(channels);
  }

  /** The server works: it has answered a heartbeat or stored a checkpoint. */
  void healthy() {
    failures = 0;
  }

  /** The session could not be opened, or has ended. Called once. */
  void over(WorkerSession over, Throwable reason) {
    session = Optional.empty();
    try {
      lost(reason);
    } catch (RuntimeException | Error e) {
      suppress(e, reason);
      collapse(e);
    }
  }

  private void lost(Throwable reason) {
    if (phase == Phase.ENDING) {
      endIfQuiet();
      return;
    }
    boolean isLate =
        runtime.nowNanos() - startedNanos >= runtime.settings().client().retryDeadline().toNanos();
    boolean isStarting = !started.isDone();
    if (isPermanent(reason) || (isStarting && (isLate || isHopeless(reason)))) {
      halt(reason);
      return;
    }
    failures++;
    long pause = runtime.settings().session().reconnect().pauseNanos(failures, runtime.chance());
    long pauseMs = TimeUnit.NANOSECONDS.toMillis(pause);
    retryAtNanos = runtime.nowNanos() + pause;
    counts.sessionLost();
    move(Phase.PAUSING, reason);
    notices.troubled("no session; will retry in " + pauseMs + " ms", reason);
    tell(listener -> listener.sessionLost(reason, pauseMs));
    runtime.later(pause, this::connect);
  }

  private void halt(Throwable reason) {
    notices.troubled("the worker halts", reason);
    isHalted = started.isDone(); // After the reason, because other threads read the status.
    tell(listener -> listener.halted(reason));
    move(Phase.ENDING, reason);
    started.completeExceptionally(reason);
    endIfQuiet();
  }

  private static boolean isPermanent(Throwable reason) {
    return reason instanceof RefusedException refused && PERMANENT.contains(refused.code());
  }

  /** Failures that end a starting worker at once. A worker that has worked retries after them. */
  private static boolean isHopeless(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() == ErrorCode.NOT_AUTHENTICATED || refused.code() == ErrorCode.NOT_PERMITTED
        : reason instanceof ConnectionException never && never.isLasting();
  }

  /** The worker opens another session, or halts; it never stalls. */
  private void broken(Throwable reason) {
    LOG.error(
        "tunnel {}: a bug ends the session; will open another session",
        runtime.settings().tunnelId(),
        reason);
    try {
      if (session.isPresent()) {
        session.get().over(reason);
      } else if (phase == Phase.CONNECTING) {
        lost(reason);
      }
      endIfQuiet();
    } catch (RuntimeException | Error e) {
      suppress(e, reason);
      collapse(e);
    }
  }

  /** Adds a suppressed exception, except a throwable to itself. */
  private static void suppress(Throwable thrown, Throwable cause) {
    if (thrown != cause) {
      thrown.addSuppressed(cause);
    }
  }

  /** Even ending the session has failed: ends the worker at once. */
  private void collapse(Throwable reason) {
    LOG.error(
        "tunnel {}: the worker halts because of a bug", runtime.settings().tunnelId(), reason);
    if (phase == Phase.NONE) {
      ended.complete(null);
      return;
    }
    notices.noted("the worker halts", reason);
    isHalted = started.isDone();
    session = Optional.empty();
    move(Phase.NONE, reason);
    tell(listener -> listener.halted(reason));
    started.completeExceptionally(reason);
    runtime.threads().interrupt();
    boolean hasWorked = counts.hasWorked();
    if (!runtime.threads().run(() -> end(hasWorked))) {
      ended.complete(null);
    }
  }

  /** The server has assigned a channel. */
  void assigned(ChannelRunner channel) {
    turns.add(channel);
    if (phase == Phase.ENDING) {
      channel.end(Ending.SHUTDOWN);
    }
  }

  /** A channel has ended. */
  void closed(ChannelRunner channel) {
    if (!turns.has(channel)) {
      return;
    }
    String id = channel.assignment().channelId();
    CloseReason reason = reasonOf(channel.ending());
    if (reason == CloseReason.FENCED) {
      counts.channelFenced();
      // Harmless: a seek fences channels, and so does a slow return of a channel.
      LOG.info(
          "channel {} of tunnel {}: lost epoch {}, because a seek moved the channel or another worker"
              + " holds it; its holder receives the changes behind the checkpoint again",
          id,
          runtime.settings().tunnelId(),
          channel.assignment().epoch());
    } else if (reason == CloseReason.STOPPED) {
      counts.channelStopped();
      Throwable why = channel.stopReason();
      LOG.error(
          "channel {} of tunnel {} is STOPPED{}: {}. {}; see docs/operate/operating.md",
          id,
          runtime.settings().tunnelId(),
          channel.failedAt().map(at -> " at " + at).orElse(""),
          String.valueOf(why),
          advice(why));
      tell(listener -> listener.channelStopped(id, why));
    }
    if (channel.wasOpened()) {
      tell(listener -> listener.channelClosed(id, reason));
    }
    turns.closed(channel); // Last, because this may open the channel's next holding.
    endIfQuiet();
  }

  private static String advice(Throwable why) {
    return why instanceof RefusedException refused && refused.code() == ErrorCode.HISTORY_LOST
        ? "The channel waits: 'tunnel tunnels seek --to earliest' moves it to the oldest kept change,"
            + " then 'tunnel tunnels resume' resumes it; a resume alone fails again"
        : "The channel waits: repair the cause, then 'tunnel tunnels resume' resumes it";
  }

  private static CloseReason reasonOf(Ending ending) {
    return switch (ending) {
      case NONE, LOST -> CloseReason.LOST;
      case SHUTDOWN -> CloseReason.SHUTDOWN;
      case REVOKED -> CloseReason.GIVEN_BACK;
      case ENDED -> CloseReason.FINISHED;
      case STOPPED -> CloseReason.STOPPED;
      case FENCED -> CloseReason.FENCED;
    };
  }

  /**
   * Ends gracefully: callbacks finish, the worker checkpoints all processed changes and gives its
   * channels back. The future completes after that. Idempotent.
   */
  public CompletableFuture<Void> shutdown() {
    runtime.post(this::beginShutdown);
    return ended;
  }

  /** Cuts a graceful end short: ends the session, and interrupts callbacks. */
  public void abandon() {
    runtime.post(
        () ->
            session.ifPresent(
                left -> left.over(new TimeoutException("the shutdown deadline has passed"))));
    runtime.threads().interrupt();
  }

  /** True on a thread of the worker, which must not wait for the end of the worker. */
  public boolean isOwnThread() {
    return runtime.threads().isOwnThread();
  }

  private void beginShutdown() {
    if (phase == Phase.ENDING || phase == Phase.NONE) {
      return;
    }
    move(Phase.ENDING, "shutdown");
    started.completeExceptionally(new IllegalStateException("the worker was shut down"));
    session.ifPresent(WorkerSession::endChannels);
    endIfQuiet();
  }

  private void endIfQuiet() {
    if (phase != Phase.ENDING || !turns.isEmpty()) {
      return;
    }
    if (session.isPresent()) {
      if (!isClosingSession) {
        isClosingSession = true;
        session.get().close();
      }
      return;
    }
    move(Phase.NONE, "all channels and the session have ended");
    boolean hasWorked = counts.hasWorked();
    if (!runtime.threads().run(() -> end(hasWorked))) {
      throw new IllegalStateException("the threads were closed before the worker had ended");
    }
  }

  /** The last steps, on a thread that may block; no callback runs any more. */
  private void end(boolean hasWorked) {
    try {
      if (hasWorked && runtime.processors() instanceof ProcessorSource.Shared shared) {
        stop(shared.processor());
      }
    } finally {
      runtime.threads().close();
      ended.complete(null);
      runtime.ports().thread().close();
    }
  }

  private void stop(IChannelProcessor processor) {
    try {
      processor.shutdown();
    } catch (RuntimeException | Error e) {
      notices.troubled("shutdown of the processor failed", e);
    }
  }

  private void move(Phase next, Object reason) {
    if (!mayMove(phase, next)) {
      throw new IllegalStateException("a worker in " + phase + " cannot move to " + next);
    }
    LOG.debug("worker of {}: {} to {}: {}", runtime.settings().tunnelId(), phase, next, reason);
    phase = next;
  }

  /** The moves of a worker. NONE is its end; only a bug ends a worker without ENDING. */
  private static boolean mayMove(Phase from, Phase to) {
    return switch (from) {
      case CONNECTING -> to != Phase.CONNECTING;
      case WORKING -> to == Phase.PAUSING || to == Phase.ENDING || to == Phase.NONE;
      case PAUSING -> to == Phase.CONNECTING || to == Phase.ENDING || to == Phase.NONE;
      case ENDING -> to == Phase.NONE;
      case NONE -> false;
    };
  }

  /** State and progress of the worker; for any thread. */
  public TunnelWorkerStatus status() {
    TunnelWorkerStatus.State state = TunnelWorkerStatus.State.WORKER_STARTED;
    if (isHalted) {
      state = TunnelWorkerStatus.State.WORKER_HALT;
    } else if (ended.isDone()) {
      state = TunnelWorkerStatus.State.WORKER_ENDED;
    }
    List<ChannelProgress> channels =
        turns.all().stream()
            .map(ChannelRunner::progress)
            .sorted(Comparator.comparing(ChannelProgress::channelId))
            .toList();
    return new TunnelWorkerStatus(
        state,
        session.map(WorkerSession::sessionId).filter(id -> !id.isEmpty()),
        channels,
        counts.now(),
        notices.lastError(),
        activity());
  }

  private Activity activity() {
    Phase now = phase;
    long leftNanos = now == Phase.PAUSING ? Math.max(0, retryAtNanos - runtime.nowNanos()) : 0;
    return new Activity(now, TimeUnit.NANOSECONDS.toMillis(leftNanos));
  }
}
