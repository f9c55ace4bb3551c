package io.tunnel.sdk.read;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.LoopThread;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;

/** The real world of a reader: an event loop with its connections. */
public final class LoopPort implements ReadPort {

  private final LoadedConfig config;
  private final LoopThread loop;
  private final SystemClock clock = new SystemClock();
  private final RandomGenerator chance = SystemClock.jitter();

  /** A new event loop, whose connections have the settings of {@code config}. */
  public LoopPort(ClientConfig config) {
    this.config = LoadedConfig.of(config);
    this.loop = new LoopThread();
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return loop.connect(config, node, receiver);
  }

  @Override
  public boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void later(long pauseNanos, Runnable task) {
    try {
      loop.schedule(task, pauseNanos);
    } catch (RejectedExecutionException e) {
      // The reader is closed: no task is needed.
    }
  }

  @Override
  public long nowNanos() {
    return clock.nanos();
  }

  @Override
  public double chance() {
    return chance.nextDouble();
  }

  @Override
  public void close() {
    loop.close();
  }
}
