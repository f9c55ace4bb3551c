package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import io.tunnel.sdk.worker.thread.SerialTasks;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the user's listener, if there is one. On the worker's thread. */
final class Notices {

  static final int WAITING_MAX = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

  private final Optional<ITunnelWorkerListener> listener;
  private final SerialTasks tasks;
  private int missed;

  Notices(Optional<ITunnelWorkerListener> listener, ProcessorThreads threads) {
    this.listener = listener;
    this.tasks = new SerialTasks(threads, WAITING_MAX);
  }

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
            LOG.warn("a listener threw {}", e.getClass().getName(), e);
          }
        });
  }
}
