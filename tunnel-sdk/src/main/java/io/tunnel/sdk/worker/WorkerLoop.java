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
import java.util.ArrayList;
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
 * One run of a worker: keeps a session open, one after the other when need be, from the start to a
 * shutdown or to a refusal that waiting does not cure. Its state belongs to the worker's thread.
 * Nothing here waits: who wants to, waits for the futures.
 */
public final class WorkerLoop implements SessionOwner {

  /** Refusals of a session that no waiting cures. */
  private static final Set<ErrorCode> PERMANENT =
      EnumSet.of(
          ErrorCode.TUNNEL_NOT_FOUND,
          ErrorCode.UNSUPPORTED_VERSION,
          ErrorCode.UNKNOWN_OPERATION,
          ErrorCode.INVALID_REQUEST);

  private static final Logger LOG = LoggerFactory.getLogger(WorkerLoop.class);

  private final WorkerRuntime runtime;
  private final ChannelTurns turns;
  private final SessionOpening opening;
  private final CompletableFuture<Void> started = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final long startedNanos;
  private final WorkerCounts counts;
  private volatile Optional<WorkerSession> session = Optional.empty();
  private volatile Optional<String> lastError = Optional.empty();
  private volatile boolean isHalted;
  private volatile long retryAtNanos;
  private volatile WorkerPhase phase = WorkerPhase.CONNECTING;
  private int failures;
  private boolean isClosingSession;

  /** A worker that has not started. */
  public WorkerLoop(WorkerSettings settings, ProcessorSource processors, WorkerPorts ports) {
    Notices notices = new Notices(settings.session().listener(), ports.processors());
    this.counts = new WorkerCounts(settings.client().meter(), settings.tunnelId());
    this.runtime = new WorkerRuntime(settings, processors, ports, notices, counts, this::broken);
    this.turns = new ChannelTurns(runtime);
    this.opening = new SessionOpening(runtime);
    this.startedNanos = runtime.nowNanos();
  }

  /**
   * Opens a session. The future completes when it is open; it fails with the refusal when the
   * server refuses for good, and with a {@link ConnectionException} when it cannot be reached
   * before the client's retry deadline, or for a reason that lasts. Called once.
   */
  public CompletableFuture<Void> start() {
    runtime.post(this::connect);
    return started;
  }

  private void connect() {
    if (phase == WorkerPhase.ENDING || phase == WorkerPhase.ENDED) {
      return;
    }
    if (phase == WorkerPhase.PAUSING) {
      move(WorkerPhase.CONNECTING, "the pause is over");
    }
    int attempt = failures + 1;
    tell(listener -> listener.connecting(attempt));
    WorkerSession next = new WorkerSession(runtime, this, opening);
    session = Optional.of(next);
    next.open();
  }

  @Override
  public void opened(WorkerSession opened) {
    if (phase != WorkerPhase.CONNECTING) {
      opened.close();
      return;
    }
    move(WorkerPhase.WORKING, "the session is open");
    counts.sessionOpened();
    LOG.info("session {} of tunnel {} is open", opened.sessionId(), runtime.settings().tunnelId());
    String id = opened.sessionId();
    tell(listener -> listener.sessionOpened(id));
    started.complete(null);
  }

  private void tell(Consumer<ITunnelWorkerListener> notice) {
    runtime.notices().tell(notice);
  }

  @Override
  public void healthy() {
    failures = 0;
  }

  @Override
  public void over(WorkerSession over, Throwable reason) {
    session = Optional.empty();
    try {
      lost(reason);
    } catch (RuntimeException | Error e) {
      suppress(e, reason);
      collapse(e);
    }
  }

  private void lost(Throwable reason) {
    if (phase == WorkerPhase.ENDING) {
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
    move(WorkerPhase.PAUSING, reason);
    troubled("the session; trying again in " + pauseMs + " ms", reason);
    tell(listener -> listener.sessionLost(reason, pauseMs));
    runtime.later(pause, this::connect);
  }

  private void halt(Throwable reason) {
    isHalted = started.isDone();
    troubled("the worker, which stops", reason);
    tell(listener -> listener.halted(reason));
    move(WorkerPhase.ENDING, reason);
    started.completeExceptionally(reason);
    endIfQuiet();
  }

  private static boolean isPermanent(Throwable reason) {
    return reason instanceof RefusedException refused && PERMANENT.contains(refused.code());
  }

  /** What a worker that has not begun does not wait for. Who has worked may be let in again. */
  private static boolean isHopeless(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.code() == ErrorCode.NOT_AUTHENTICATED || refused.code() == ErrorCode.NOT_PERMITTED
        : reason instanceof ConnectionException never && never.isLasting();
  }

  /** The worker opens another session, or halts; it never just stands still. */
  private void broken(Throwable reason) {
    LOG.error("a broken invariant ends the session", reason);
    try {
      if (session.isPresent()) {
        session.get().over(reason);
      } else if (phase == WorkerPhase.CONNECTING) {
        lost(reason);
      }
      endIfQuiet();
    } catch (RuntimeException | Error e) {
      suppress(e, reason);
      collapse(e);
    }
  }

  /** A throwable must not suppress itself. */
  private static void suppress(Throwable thrown, Throwable cause) {
    if (thrown != cause) {
      thrown.addSuppressed(cause);
    }
  }

  /** Not even the end of a session has worked: everything ends at once, and says why. */
  private void collapse(Throwable reason) {
    LOG.error(
        "the worker of tunnel {} halts: an invariant of it is broken",
        runtime.settings().tunnelId(),
        reason);
    if (phase == WorkerPhase.ENDED) {
      ended.complete(null);
      return;
    }
    lastError = Optional.of("the worker, which halts: " + reason);
    isHalted = started.isDone();
    session = Optional.empty();
    move(WorkerPhase.ENDED, reason);
    tell(listener -> listener.halted(reason));
    started.completeExceptionally(reason);
    runtime.threads().interrupt();
    boolean hasWorked = counts.hasWorked();
    if (!runtime.threads().run(() -> end(hasWorked))) {
      ended.complete(null);
    }
  }

  @Override
  public void assigned(ChannelRunner channel) {
    turns.add(channel);
    if (phase == WorkerPhase.ENDING) {
      channel.end(Ending.SHUTDOWN);
    }
  }

  @Override
  public void opened(ChannelRunner channel) {
    turns.opened(channel);
  }

  @Override
  public void processed(ChannelRunner channel, int bytes) {
    turns.processed(channel, bytes);
  }

  @Override
  public void closed(ChannelRunner channel) {
    if (!turns.has(channel)) {
      return;
    }
    String id = channel.assignment().channelId();
    CloseReason reason = reasonOf(channel.ending());
    if (reason == CloseReason.FENCED) {
      counts.channelFenced();
      // Nothing to worry about: an operator's seek does it, and a worker that was slow to give
      // back.
      LOG.info(
          "channel {} of tunnel {}: epoch {} is over, because the channel was moved by a seek or given"
              + " to another holder; changes behind its checkpoint are delivered again",
          id,
          runtime.settings().tunnelId(),
          channel.assignment().epoch());
    } else if (reason == CloseReason.STOPPED) {
      counts.channelStopped();
      Throwable why = channel.stopReason();
      LOG.error(
          "channel {} of tunnel {} is STOPPED{}: {}. {}; see docs/operating.md",
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
    turns.closed(channel); // Last, because it may open the channel's next holding.
    endIfQuiet();
  }

  private static String advice(Throwable why) {
    return why instanceof RefusedException refused && refused.code() == ErrorCode.HISTORY_LOST
        ? "It waits until 'tunnel tunnels seek --to earliest' has moved it to what is kept, and then"
            + " 'tunnel tunnels resume' lets it go on; a resume alone fails again"
        : "It waits until what fails is repaired and 'tunnel tunnels resume' lets it go on";
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

  @Override
  public void checkpointStored() {
    healthy();
  }

  @Override
  public void noted(String what, Throwable reason) {
    lastError = Optional.of(what + ": " + reason);
  }

  @Override
  public void troubled(String what, Throwable reason) {
    noted(what, reason);
    LOG.warn("trouble with {} (tunnel {})", what, runtime.settings().tunnelId(), reason);
  }

  /**
   * Ends gracefully: callbacks finish, everything processed is checkpointed, channels are given
   * back. The future completes when that is done. Idempotent.
   */
  public CompletableFuture<Void> shutdown() {
    runtime.post(this::beginShutdown);
    return ended;
  }

  /** Ends what a graceful end waits for: the session, and callbacks by an interrupt. */
  public void abandon() {
    runtime.post(
        () ->
            session.ifPresent(
                left -> left.over(new TimeoutException("the shutdown's deadline has passed"))));
    runtime.threads().interrupt();
  }

  /** Whether the calling thread is one that the end of the worker may wait for. */
  public boolean isOwnThread() {
    return runtime.threads().isOwnThread();
  }

  private void beginShutdown() {
    if (phase == WorkerPhase.ENDING || phase == WorkerPhase.ENDED) {
      return;
    }
    move(WorkerPhase.ENDING, "shutdown");
    started.completeExceptionally(new IllegalStateException("the worker was shut down"));
    session.ifPresent(WorkerSession::endChannels);
    endIfQuiet();
  }

  private void endIfQuiet() {
    if (phase != WorkerPhase.ENDING || !turns.isEmpty()) {
      return;
    }
    if (session.isPresent()) {
      if (!isClosingSession) {
        isClosingSession = true;
        session.get().close();
      }
      return;
    }
    move(WorkerPhase.ENDED, "nothing is left");
    boolean hasWorked = counts.hasWorked();
    if (!runtime.threads().run(() -> end(hasWorked))) {
      throw new IllegalStateException("the threads were closed before the worker had ended");
    }
  }

  /** The last steps, on a thread that may block: no callback is running any more. */
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
      troubled("the processor's shutdown", e);
    }
  }

  private void move(WorkerPhase next, Object reason) {
    if (!phase.next().contains(next)) {
      throw new IllegalStateException("a worker that is " + phase + " cannot be " + next);
    }
    LOG.debug("worker of {}: {} to {}: {}", runtime.settings().tunnelId(), phase, next, reason);
    phase = next;
  }

  /** How the worker is; from any thread. */
  public TunnelWorkerStatus status() {
    TunnelWorkerStatus.State state = TunnelWorkerStatus.State.WORKER_STARTED;
    if (isHalted) {
      state = TunnelWorkerStatus.State.WORKER_HALT;
    } else if (ended.isDone()) {
      state = TunnelWorkerStatus.State.WORKER_ENDED;
    }
    List<ChannelProgress> channels = new ArrayList<>(turns.progress());
    channels.sort(Comparator.comparing(ChannelProgress::channelId));
    return new TunnelWorkerStatus(
        state,
        session.map(WorkerSession::sessionId).filter(id -> !id.isEmpty()),
        channels,
        counts.now(),
        lastError,
        activity());
  }

  private Activity activity() {
    return switch (phase) {
      case CONNECTING -> new Activity(Phase.CONNECTING, 0);
      case WORKING -> new Activity(Phase.WORKING, 0);
      case PAUSING -> {
        long leftNanos = Math.max(0, retryAtNanos - runtime.nowNanos());
        yield new Activity(Phase.PAUSING, TimeUnit.NANOSECONDS.toMillis(leftNanos));
      }
      case ENDING -> new Activity(Phase.ENDING, 0);
      case ENDED -> Activity.NONE;
    };
  }
}
