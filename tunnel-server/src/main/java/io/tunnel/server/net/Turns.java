package io.tunnel.server.net;

import io.tunnel.wire.Frame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Gives principals turns on a thread that all of them share. Each principal has one request under
 * way, however many it sends on however many connections, so another principal waits for at most
 * one request of each; and all that are under way together have at most so many bytes, except that
 * one always goes on. What waits is bounded by {@link OpenRequests}. For any thread; nothing is
 * called under the monitor.
 */
final class Turns {

  private final Executor executor;
  private final long bytesMax;

  /** What waits, by owner; an owner without anything under way or waiting has no entry. */
  private final Map<Object, Deque<Task>> waiting = new HashMap<>();

  /** Owners with nothing under way and something that waits, in the order of their turns. */
  private final Deque<Object> ready = new ArrayDeque<>();

  /** Bytes of what is under way; 0 when nothing is. */
  private long bytes;

  /** Owners of what is under way, by request: no two frames are the same one. */
  private final IdentityHashMap<Frame, Object> underWay = new IdentityHashMap<>();

  /** A request that waits for its turn. */
  interface Task {

    /** The request, which is to be answered or refused. */
    Frame request();

    /** Serves it. */
    void run();

    /** The executor takes no more. */
    void refuse();
  }

  Turns(Executor executor, long bytesMax) {
    this.executor = executor;
    this.bytesMax = bytesMax;
  }

  /** Serves the task when it is its owner's turn. */
  void begin(Object owner, Task task) {
    synchronized (this) {
      Deque<Task> before = waiting.get(owner);
      if (before == null) {
        before = new ArrayDeque<>();
        waiting.put(owner, before);
        ready.add(owner);
      }
      before.add(task);
    }
    startAll();
  }

  /** A request was answered or refused; its turn is over, if it had one. */
  void answered(Frame request) {
    synchronized (this) {
      Object owner = underWay.remove(request);
      if (owner == null) {
        return;
      }
      bytes -= request.payload().length;
      if (waiting.get(owner).isEmpty()) {
        waiting.remove(owner);
      } else {
        ready.add(owner);
      }
    }
    startAll();
  }

  private void startAll() {
    for (Task next = begin(); next != null; next = begin()) {
      try {
        executor.execute(next::run);
      } catch (RejectedExecutionException e) {
        next.refuse();
      }
    }
  }

  /** Marks the next task as under way and returns it; null when no task may begin now. */
  private synchronized Task begin() {
    if (ready.isEmpty()) {
      return null;
    }
    Task first = waiting.get(ready.peek()).peek();
    int more = first.request().payload().length;
    if (!underWay.isEmpty() && bytes + more > bytesMax) {
      return null;
    }
    Object owner = ready.poll();
    var unused = waiting.get(owner).poll();
    underWay.put(first.request(), owner);
    bytes += more;
    return first;
  }
}
