package io.tunnel.server.engine;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns some state. What its tasks fail with is logged: nobody else looks at it,
 * and the pool would keep it to itself.
 */
public class OwnThread extends ScheduledThreadPoolExecutor {

  private static final Logger LOGGER = LoggerFactory.getLogger(OwnThread.class);

  private final String name;

  /** An idle thread of that name. */
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

  /** Something that was to be done is not, or only in part. */
  void failed(Throwable failure) {
    LOGGER.error("what thread {} was to do failed", name, failure);
  }
}
