package io.tunnel.it.sim.machine;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A simulated thread in the shape in which Netty knows one. */
public final class SimLoop extends AbstractEventExecutor implements EventLoop {

  private final SimThread thread;
  private final Promise<Void> terminated = new DefaultPromise<>(this);

  public SimLoop(SimThread thread) {
    this.thread = thread;
  }

  public SimThread thread() {
    return thread;
  }

  @Override
  public EventLoopGroup parent() {
    return this;
  }

  @Override
  public EventLoop next() {
    return this;
  }

  @Override
  public boolean inEventLoop(Thread asking) {
    return thread.isRunning();
  }

  @Override
  public boolean inEventLoop() {
    return thread.isRunning();
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return schedule(Executors.callable(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    Alarm<V> alarm = new Alarm<>(thread.process.agenda.nowNanos() + unit.toNanos(delay), task);
    thread.after(unit.toNanos(delay), alarm::ring);
    return alarm;
  }

  private final class Alarm<V> extends DefaultPromise<V> implements ScheduledFuture<V> {
    private final long dueNanos;
    private final Callable<V> task;

    Alarm(long dueNanos, Callable<V> task) {
      super(SimLoop.this);
      this.dueNanos = dueNanos;
      this.task = task;
    }

    void ring() {
      if (setUncancellable()) {
        try {
          setSuccess(task.call());
        } catch (Exception e) {
          throw new IllegalStateException("what was scheduled has failed", e);
        }
      }
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - thread.process.agenda.nowNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(dueNanos, ((Alarm<?>) other).dueNanos);
    }
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public boolean isShuttingDown() {
    return thread.isClosed();
  }

  @Override
  public boolean isShutdown() {
    return thread.isClosed();
  }

  @Override
  public boolean isTerminated() {
    return thread.isClosed();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return thread.isClosed();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    thread.close();
    return terminated;
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }

  @Override
  @Deprecated
  public void shutdown() {
    thread.close();
  }
}
