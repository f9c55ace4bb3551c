package io.tunnel.server.engine;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread with a bounded queue; it refuses further tasks. */
public final class WaitingThread extends ThreadPoolExecutor {

  /** Starts the thread with the first task. */
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
