package io.tunnel.sdk.worker;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import io.tunnel.sdk.worker.thread.SerialTasks;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the events of a worker: to the user's listener, to the log, and as the last error of the
 * status. Runs on the worker's thread, except {@link #lastError}.
 */
final class Notices {

  static final int WAITING_MAX = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

  private final Optional<ITunnelWorkerListener> listener;
  private final String tunnelId;
  private final SerialTasks tasks;
  private volatile Optional<String> lastError = Optional.empty();
  private int missed;

  Notices(WorkerSettings settings, ProcessorThreads threads) {
    this.listener = settings.session().listener();
    this.tunnelId = settings.tunnelId();
    this.tasks = new SerialTasks(threads, WAITING_MAX);
  }

  /** The last failure, for people; empty before the first. For any thread. */
  Optional<String> lastError() {
    return lastError;
  }

  /** Makes a failure the last error; its caller logs it. */
  void noted(String failure, Throwable reason) {
    lastError = Optional.of(failure + ": " + reason);
  }

  /**
   * Makes a failure the last error, and logs the failure as a warning. The answer of a server and
   * the loss of a connection say all in their message, so the log has no stack of theirs.
   */
  void troubled(String failure, Throwable reason) {
    noted(failure, reason);
    if (reason instanceof RefusedException refused) {
      LOG.warn("tunnel {}: {}: {}: {}", tunnelId, failure, refused.code(), refused.getMessage());
    } else if (reason instanceof ConnectionException) {
      LOG.warn("tunnel {}: {}: {}", tunnelId, failure, reason.getMessage());
    } else {
      LOG.warn("tunnel {}: {}", tunnelId, failure, reason);
    }
  }

  /** Calls the listener later, in order; drops and counts the notice when too many wait. */
  void tell(Consumer<ITunnelWorkerListener> notice) {
    if (listener.isEmpty()) {
      return;
    }
    int before = missed;
    if (before > 0 && offer(told -> told.missed(before))) {
      missed = 0;
    }
    if (missed > 0 || !offer(notice)) {
      missed++;
    }
  }

  private boolean offer(Consumer<ITunnelWorkerListener> notice) {
    return tasks.offer(
        () -> {
          try {
            notice.accept(listener.get());
          } catch (Throwable e) {
            LOG.warn("tunnel {}: the listener threw {}", tunnelId, e.getClass().getName(), e);
          }
        });
  }
}
