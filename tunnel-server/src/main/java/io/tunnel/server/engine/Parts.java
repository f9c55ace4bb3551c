package io.tunnel.server.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Closes the parts that a program has opened, in reverse order. For one thread. */
public final class Parts {

  private static final long STOP_DEADLINE_S = 10;

  private final Deque<Closeable> opened = new ArrayDeque<>();

  /** Returns {@code part}, and closes it later. */
  public <T extends Closeable> T open(T part) {
    opened.push(part);
    return part;
  }

  /** Returns {@code threads}, and later lets them finish their tasks. */
  public <T extends ExecutorService> T openThreads(T threads) {
    opened.push(() -> stop(threads));
    return threads;
  }

  private static void stop(ExecutorService threads) throws IOException {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(STOP_DEADLINE_S, TimeUnit.SECONDS)) {
        throw new IOException("threads did not stop within " + STOP_DEADLINE_S + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while stopping", e);
    }
  }

  /** Closes all parts, and adds errors to {@code failure} as suppressed. Idempotent. */
  public void closeAfter(Exception failure) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Closes all parts. Idempotent. */
  public void close() throws IOException {
    IOException failure = new IOException("the server did not stop cleanly");
    closeAfter(failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
