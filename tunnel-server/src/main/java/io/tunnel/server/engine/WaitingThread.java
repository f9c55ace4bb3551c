package io.tunnel.server.engine;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread, in front of which no more than so many tasks wait; a further one is refused. */
public final class WaitingThread extends ThreadPoolExecutor {

  /** Begins with the first task. */
  public WaitingThread(String name, int waitingMax) {
    super(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(waitingMax),
        task -> new Thread(task, name));
  }
}
