package io.tunnel.server.net;

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
 * most. The turn of a request ends with its answer, or with {@link #run} when its thread has served
 * it: a principal whose answer takes long does not wait for itself. The bytes of requests under way
 * are bounded, except that one request may always run. {@link OpenRequests} bounds the waiting
 * ones. For any thread; nothing is called under the monitor.
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

  /** Tasks under way, by the identity of their requests. */
  private final IdentityHashMap<Object, Started> underWay = new IdentityHashMap<>();

  /** A task under way. */
  private record Started(Object owner, int bytes) {}

  /** A request that waits for its turn. */
  interface Task {

    /** The request, which will be answered or refused; no other task has this object. */
    Object request();

    /** Bytes of the request. */
    int bytes();

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

  /** Serves a task when it is its owner's turn. The turn ends when {@code service} returns. */
  void run(Object owner, int requestBytes, Runnable service, Runnable refusal) {
    begin(owner, new Served(this, requestBytes, service, refusal));
  }

  /** A task that is its own request. */
  private static final class Served implements Task {
    private final Turns turns;
    private final int bytes;
    private final Runnable service;
    private final Runnable refusal;

    Served(Turns turns, int bytes, Runnable service, Runnable refusal) {
      this.turns = turns;
      this.bytes = bytes;
      this.service = service;
      this.refusal = refusal;
    }

    @Override
    public Object request() {
      return this;
    }

    @Override
    public int bytes() {
      return bytes;
    }

    @Override
    public void run() {
      try {
        service.run();
      } finally {
        turns.answered(this);
      }
    }

    @Override
    public void refuse() {
      try {
        refusal.run();
      } finally {
        turns.answered(this);
      }
    }
  }

  /** A request was answered or refused; ends the turn of the request. */
  void answered(Object request) {
    synchronized (this) {
      Started ended = underWay.remove(request);
      if (ended == null) {
        return;
      }
      bytes -= ended.bytes();
      if (waiting.get(ended.owner()).isEmpty()) {
        waiting.remove(ended.owner());
      } else {
        ready.add(ended.owner());
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
    int more = first.bytes();
    if (!underWay.isEmpty() && bytes + more > bytesMax) {
      return null;
    }
    Object owner = ready.poll();
    var unused = waiting.get(owner).poll();
    underWay.put(first.request(), new Started(owner, more));
    bytes += more;
    return first;
  }
}
