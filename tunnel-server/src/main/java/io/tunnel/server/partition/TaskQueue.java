package io.tunnel.server.partition;

import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Tasks from any thread for one owner thread, which sleeps while there are none. Only the owner
 * takes tasks.
 *
 * <p>No wake-up is lost: the owner says that it is about to sleep and then looks into the queue; a
 * thread that posts adds its task and then looks whether the owner sleeps. Whichever comes second
 * sees what the other did.
 *
 * @param <T> the kind of task
 */
public final class TaskQueue<T> {

  /** A wait that only a task or {@link #stop} ends. */
  public static final long FOREVER_NANOS = Long.MAX_VALUE;

  private static final int CHUNK_TASKS = 1024;

  private final MpscUnboundedArrayQueue<T> queue = new MpscUnboundedArrayQueue<>(CHUNK_TASKS);
  private final Parking parking;

  /** The owner, from when it has said that it may sleep until it is awake again; else null. */
  private volatile Thread sleeper;

  private volatile boolean isStopping;

  /**
   * How the owner sleeps, as {@link LockSupport} has it: who is woken before it sleeps does not.
   */
  interface Parking {

    /** Sleeps; {@link #FOREVER_NANOS} without an end. */
    void park(long nanosMax);

    /** Wakes {@code thread}, or lets its next sleep end at once. */
    void unpark(Thread thread);
  }

  /** A queue whose owner sleeps as threads do. */
  public TaskQueue() {
    this(new ThreadParking());
  }

  TaskQueue(Parking parking) {
    this.parking = parking;
  }

  private static final class ThreadParking implements Parking {
    @Override
    public void park(long nanosMax) {
      if (nanosMax == FOREVER_NANOS) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, nanosMax);
      }
    }

    @Override
    public void unpark(Thread thread) {
      LockSupport.unpark(thread);
    }
  }

  /** Adds a task behind all others, and wakes the owner. */
  public void post(T task) {
    queue.add(task);
    wake();
  }

  /** Lets {@link #await} return from now on without a wait. */
  public void stop() {
    isStopping = true;
    wake();
  }

  private void wake() {
    Thread owner = sleeper;
    if (owner != null) {
      parking.unpark(owner);
    }
  }

  /** Whether {@link #stop} was called. */
  public boolean isStopping() {
    return isStopping;
  }

  /** The next task, which stays; null when there is none. */
  public T peek() {
    return queue.peek();
  }

  /** Takes the next task; null when there is none. */
  public T poll() {
    return queue.poll();
  }

  /** Whether no task waits. */
  public boolean isEmpty() {
    return queue.isEmpty();
  }

  /**
   * Waits, on the owner's thread, until a task is there, {@link #stop} was called or {@code
   * nanosMax} nanoseconds are over, which may be none; it may return before without a reason.
   */
  public void await(long nanosMax) {
    sleeper = Thread.currentThread();
    if (queue.isEmpty() && !isStopping && nanosMax > 0) {
      parking.park(nanosMax);
    }
    sleeper = null;
  }
}
