package io.tunnel.server.node;

import java.util.ArrayList;
import java.util.List;

/** Runs actions when a test says so, or says that the node stops; any thread. */
final class ManualLater implements Later {

  private final List<Waiting> waiting = new ArrayList<>();
  private boolean isStopping;
  private long nowMs;

  private record Waiting(long dueMs, long ms, Runnable action) {}

  @Override
  public synchronized boolean after(long ms, Runnable action) {
    if (!isStopping) {
      waiting.add(new Waiting(nowMs + ms, ms, action));
    }
    return !isStopping;
  }

  /** Takes no further action from now on. */
  synchronized void stop() {
    isStopping = true;
  }

  /** Milliseconds that have passed. */
  synchronized long nowMs() {
    return nowMs;
  }

  /** Runs all actions with a wait of {@code ms}. */
  void fire(long ms) {
    List<Waiting> due;
    synchronized (this) {
      due = waiting.stream().filter(one -> one.ms() == ms).toList();
      waiting.removeAll(due);
    }
    due.forEach(one -> one.action().run());
  }

  /** Time passes; actions run when they are due, in their order. */
  void pass(long ms) {
    long untilMs = nowMs() + ms;
    while (true) {
      Waiting next;
      synchronized (this) {
        int first = -1;
        for (int i = 0; i < waiting.size(); i++) {
          boolean isEarlier = first < 0 || waiting.get(i).dueMs() < waiting.get(first).dueMs();
          if (waiting.get(i).dueMs() <= untilMs && isEarlier) {
            first = i;
          }
        }
        if (first < 0) {
          nowMs = untilMs;
          return;
        }
        next = waiting.remove(first);
        nowMs = Math.max(nowMs, next.dueMs());
      }
      next.action().run();
    }
  }
}
