package io.tunnel.server.partition;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns a shard, and the queue of the tasks that other threads post to it. The
 * thread sleeps while there is nothing to do.
 *
 * <p>What a {@link Work} touches is touched by one thread at a time: by the loop's own; in its
 * place, when the loop is never started, by a test or a simulation that takes the steps itself; and
 * when the loop has ended, by the threads that post, one after the other, while the thread that
 * closes may be closing what follows it.
 *
 * <p>No task is lost, and none is taken twice. The owner takes tasks in the order in which they
 * were posted, all that were posted before {@link #close}, and of later ones what it still sees.
 * The others are ended: a thread that posts adds its task and then looks whether the loop has
 * ended; the thread that closes says that the loop has ended and then empties the queue. In the
 * same way no wake-up is lost: the owner says that it is about to sleep and then looks into the
 * queue.
 *
 * <p>The queue has no limit of its own: what may wait is limited where it is posted, in bytes.
 *
 * @param <T> the kind of task
 */
public final class OwnerLoop<T> {

  /** A wait that only a task or {@link #close} ends. */
  public static final long FOREVER_NANOS = Long.MAX_VALUE;

  private static final Logger LOGGER = LoggerFactory.getLogger(OwnerLoop.class);
  private static final int CHUNK_TASKS = 1024;

  private final MpscUnboundedArrayQueue<T> queue = new MpscUnboundedArrayQueue<>(CHUNK_TASKS);
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final Work<T> work;
  private final Parking parking;
  private final Thread owner;

  /** The owner, from when it has said that it may sleep until it is awake again; else null. */
  private volatile Thread sleeper;

  /** Moves forward only, by the first thread that closes. */
  private enum State {
    /** Tasks are taken as they come. */
    OPEN,
    /**
     * The owner is gone although no caller has closed it: not even its failure could be reported.
     */
    DEAD,
    /** The owner takes what still waits, and ends. */
    CLOSING,
    /** The owner takes no more. */
    ENDED
  }

  /**
   * What the owner does.
   *
   * @param step runs the waiting tasks and the work that is due; returns whether any task waited
   * @param idleNanos time until {@code step} has work to do even without a new task; {@link
   *     #FOREVER_NANOS} when only a new task brings work
   * @param fail takes the exception of a step, and throws nothing. The owner continues, because
   *     callers wait for the queued tasks; so after a failure {@code step} must refuse each task
   *     whose result is uncertain
   * @param end takes each task that came too late for {@code step}, one at a time, on any thread
   */
  public record Work<T>(
      BooleanSupplier step, LongSupplier idleNanos, Consumer<Throwable> fail, Consumer<T> end) {}

  /** How the owner sleeps: who is woken before it sleeps does not. */
  interface Parking {

    /** Sleeps, {@link #FOREVER_NANOS} without an end. */
    default void park(long nanosMax) {
      LockSupport.parkNanos(this, nanosMax);
    }

    /** Wakes {@code thread}, or lets its next sleep end at once. */
    default void unpark(Thread thread) {
      LockSupport.unpark(thread);
    }
  }

  /** A loop whose thread has that name and, once started, does {@code work}. */
  public OwnerLoop(String name, Work<T> work) {
    this(name, work, new Parking() {});
  }

  OwnerLoop(String name, Work<T> work, Parking parking) {
    this.work = work;
    this.parking = parking;
    this.owner = new Thread(this::own, name);
  }

  /** Begins to work. */
  public void start() {
    owner.start();
  }

  /** Adds a task after all others, and wakes the owner. Any thread. */
  public void post(T task) {
    queue.add(task);
    wake();
    State now = state.get();
    if (now == State.ENDED || now == State.DEAD) {
      endLeft();
    }
  }

  private void wake() {
    Thread sleeping = sleeper;
    if (sleeping != null) {
      parking.unpark(sleeping);
    }
  }

  /** Whether no task waits. */
  public boolean isIdle() {
    return queue.isEmpty();
  }

  /** Whether it was closed. */
  public boolean isClosing() {
    return state.get() != State.OPEN;
  }

  /** The next task, which stays; null when there is none. For the owner. */
  public T peek() {
    return queue.peek();
  }

  /** Takes the next task; null when there is none. For the owner. */
  public T poll() {
    return queue.poll();
  }

  /** Runs an action that others have posted: if it throws, that is no failure of the owner. */
  public static void runPosted(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOGGER.error("a task on a shard's thread failed", e);
    }
  }

  private void own() {
    try {
      work();
    } finally {
      if (state.compareAndSet(State.OPEN, State.DEAD)) {
        endLeft();
      }
    }
  }

  private void work() {
    while (true) {
      // Asked first: what was posted before the close is seen by the step after it.
      boolean isLast = isClosing();
      if (!step()) {
        if (isLast) {
          return;
        }
        sleep(work.idleNanos().getAsLong());
      }
    }
  }

  private boolean step() {
    try {
      return work.step().getAsBoolean();
    } catch (RuntimeException | Error e) {
      work.fail().accept(e);
      return true;
    }
  }

  /** Until a task comes, the loop is closed, or so much time is over; or without a reason. */
  private void sleep(long nanosMax) {
    sleeper = Thread.currentThread();
    if (queue.isEmpty() && !isClosing() && nanosMax > 0) {
      parking.park(nanosMax);
    }
    sleeper = null;
  }

  /**
   * Lets the owner run the waiting tasks, stops the owner, ends the tasks that came too late, and
   * then closes {@code behind}. Only the first call has an effect. An interrupt of the calling
   * thread takes effect after the close: the JDK closes a file channel that an interrupted thread
   * uses, for all threads.
   */
  public void close(Closeable behind) throws IOException {
    if (!state.compareAndSet(State.OPEN, State.CLOSING)
        && !state.compareAndSet(State.DEAD, State.CLOSING)) {
      return;
    }
    wake();
    boolean wasInterrupted = joinOwner();
    state.set(State.ENDED);
    try (behind) {
      endLeft();
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether the calling thread was interrupted, which it is no more. */
  private boolean joinOwner() {
    boolean wasInterrupted = Thread.interrupted();
    while (true) {
      try {
        owner.join();
        return wasInterrupted;
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
  }

  /** Ends the tasks that callers posted while the owner stopped; the owner polls no longer. */
  private synchronized void endLeft() {
    for (T task = queue.poll(); task != null; task = queue.poll()) {
      T left = task;
      runPosted(() -> work.end().accept(left));
    }
  }
}
