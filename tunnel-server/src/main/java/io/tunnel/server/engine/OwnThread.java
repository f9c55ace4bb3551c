package io.tunnel.server.engine;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that owns some state. It logs failures of its tasks, which the pool would swallow. */
public class OwnThread extends ScheduledThreadPoolExecutor {

  private static final Logger LOGGER = LoggerFactory.getLogger(OwnThread.class);

  private final String name;

  /** An idle thread with this name. */
  public OwnThread(String name) {
    super(1, task -> new Thread(task, name));
    this.name = name;
  }

  @Override
  protected void afterExecute(Runnable task, Throwable thrown) {
    super.afterExecute(task, thrown);
    if (task instanceof Future<?> done && done.isDone()) {
      try {
        done.get();
      } catch (ExecutionException e) {
        failed(e.getCause());
      } catch (CancellationException e) {
        LOGGER.trace("cancelled", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A task failed, and may be done in part. */
  void failed(Throwable failure) {
    LOGGER.error("a task of thread {} failed", name, failure);
  }
}
