package io.tunnel.server.net;

import io.tunnel.server.net.access.Budget;
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
 * are bounded, except that one request may always run. {@link OpenRequests} bounds the waiting ones
 * of all principals together, and those of one principal may be bounded as well, except that one
 * may always wait. For any thread; only the budgets are called under the monitor.
 */
final class Turns {

  private final Executor executor;
  private final long waitingBytesMax;

  /** Bytes of waiting tasks, by owner. */
  private final Budget<Object> waitingBytes = new Budget<>(Budget.UNBOUNDED);

  /** Bytes of requests under way. */
  private final Budget<Object> bytes;

  /** Waiting tasks by owner; an owner without waiting tasks and requests under way has no entry. */
  private final Map<Object, Deque<Task>> waiting = new HashMap<>();

  /** Owners with a waiting task and no request under way, in the order of their turns. */
  private final Deque<Object> ready = new ArrayDeque<>();

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

    /** Refuses the request, because the executor rejected it, or too many of its owner wait. */
    void refuse();
  }

  /** Any number of requests may wait. */
  Turns(Executor executor, long bytesMax) {
    this(executor, bytesMax, Long.MAX_VALUE);
  }

  /**
   * Turns on {@code executor}.
   *
   * @param bytesMax bytes of requests under way
   * @param waitingBytesMax bytes of waiting requests of one owner
   */
  Turns(Executor executor, long bytesMax, long waitingBytesMax) {
    this.executor = executor;
    this.bytes = new Budget<>(bytesMax);
    this.waitingBytesMax = waitingBytesMax;
  }

  /** Serves the task when it is its owner's turn, or refuses it. */
  void begin(Object owner, Task task) {
    if (add(owner, task)) {
      startAll();
    } else {
      task.refuse();
    }
  }

  private synchronized boolean add(Object owner, Task task) {
    Deque<Task> line = waiting.get(owner);
    if (line == null) {
      line = new ArrayDeque<>();
      waiting.put(owner, line);
      ready.add(owner);
    }
    long most = line.isEmpty() ? Budget.UNBOUNDED : waitingBytesMax;
    boolean hasRoom = waitingBytes.tryTake(owner, task.bytes(), most);
    if (hasRoom) {
      line.add(task);
    }
    return hasRoom;
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
      bytes.give(ended.bytes());
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
    if (!bytes.tryTake(first.bytes(), underWay.isEmpty())) {
      return null;
    }
    Object owner = ready.poll();
    Task begun = waiting.get(owner).remove();
    waitingBytes.give(owner, begun.bytes());
    underWay.put(begun.request(), new Started(owner, begun.bytes()));
    return begun;
  }
}
