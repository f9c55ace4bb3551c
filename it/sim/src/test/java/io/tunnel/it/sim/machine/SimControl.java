package io.tunnel.it.sim.machine;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A simulated thread in the shape in which the JDK knows one that keeps time. */
public final class SimControl extends AbstractExecutorService implements ScheduledExecutorService {

  private final SimThread thread;

  /** The shape of {@code thread}. */
  public SimControl(SimThread thread) {
    this.thread = thread;
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    Later<Void> later = new Later<>(task);
    thread.after(unit.toNanos(delay), later);
    return later;
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    Later<Void> first = new Later<>(task);
    thread.after(unit.toNanos(initialDelay), () -> again(task, unit.toNanos(delay)));
    return first;
  }

  private void again(Runnable task, long delayNanos) {
    task.run();
    thread.after(delayNanos, () -> again(task, delayNanos));
  }

  /** Nobody asks when. */
  private static final class Later<V> extends FutureTask<V> implements ScheduledFuture<V> {
    Later(Runnable task) {
      super(task, null);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return Integer.compare(hashCode(), other.hashCode());
    }

    @Override
    protected void setException(Throwable failure) {
      throw new IllegalStateException("what was scheduled has failed", failure);
    }
  }

  @Override
  public void shutdown() {
    // A process ends as a whole.
  }

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
