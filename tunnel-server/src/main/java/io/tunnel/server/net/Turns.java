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
 * Gives principals turns on a shared thread. Each principal has one request under way, however much
 * it sends on all its connections. So a principal waits for one request of every other principal at
 * most. The bytes of requests under way are bounded, except that one request may always run. {@link
 * OpenRequests} bounds the waiting ones. For any thread; nothing is called under the monitor.
 */
final class Turns {

  private final Executor executor;
  private final long bytesMax;

  /** Waiting tasks by owner; an owner without waiting tasks and requests under way has no entry. */
  private final Map<Object, Deque<Task>> waiting = new HashMap<>();

  /** Owners with a waiting task and no request under way, in the order of their turns. */
  private final Deque<Object> ready = new ArrayDeque<>();

  /** Bytes of requests under way. */
  private long bytes;

  /** Owners of requests under way, by the identity of the frame. */
  private final IdentityHashMap<Frame, Object> underWay = new IdentityHashMap<>();

  /** A request that waits for its turn. */
  interface Task {

    /** The request, which will be answered or refused. */
    Frame request();

    /** Serves the request. */
    void run();

    /** Refuses the request, because the executor rejected it. */
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

  /** A request was answered or refused; ends the turn of the request. */
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
    for (Task next = takeNext(); next != null; next = takeNext()) {
      try {
        executor.execute(next::run);
      } catch (RejectedExecutionException e) {
        next.refuse();
      }
    }
  }

  /** Marks the next task as under way and returns it; null when no task may begin now. */
  private synchronized Task takeNext() {
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
