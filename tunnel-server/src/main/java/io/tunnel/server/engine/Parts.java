package io.tunnel.server.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** What a program has opened; closed in the reverse order. For one thread. */
public final class Parts {

  private static final long STOP_DEADLINE_S = 10;

  private final Deque<Closeable> opened = new ArrayDeque<>();

  /** Will close {@code part}, and returns it. */
  public <T extends Closeable> T open(T part) {
    opened.push(part);
    return part;
  }

  /** Will let {@code threads} finish what they were given. */
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

  /** Closes everything; what fails is added to {@code failure}. Idempotent. */
  public void closeAfter(Exception failure) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Closes everything. Idempotent. */
  public void close() throws IOException {
    IOException failure = new IOException("the server did not stop cleanly");
    closeAfter(failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
