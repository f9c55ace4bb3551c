package io.tunnel.sdk.delivery;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.ReconnectCore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/** A thread in virtual time, which the test advances. */
final class VirtualThread implements DeliveryThread {
  private record Task(long atNanos, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparing(Task::atNanos));
  private long nowNanos;

  /** Exceptions of guarded tasks; a future would swallow the exceptions of its callbacks. */
  final List<Throwable> thrown = new ArrayList<>();

  /** Servers whose deliveries pause on this thread for 20 ns to 1 us. */
  DeliveryLinks links() {
    BackoffCore pauses = new BackoffCore(20, 1_000);
    return new DeliveryLinks(
        this,
        new DeliveryLink.Watch(Duration.ofSeconds(1), Optional.empty()),
        new ReconnectCore(pauses, pauses));
  }

  @Override
  public void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      thrown.add(e);
      throw e;
    }
  }

  @Override
  public void later(long pauseNanos, Runnable task) {
    tasks.add(new Task(nowNanos + pauseNanos, task));
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    throw new AssertionError("nobody asked for " + node);
  }

  @Override
  public long nowNanos() {
    return nowNanos;
  }

  @Override
  public double chance() {
    return 0;
  }

  void runUntil(Duration time) {
    while (!tasks.isEmpty() && tasks.peek().atNanos() <= time.toNanos()) {
      Task next = tasks.remove();
      nowNanos = next.atNanos();
      next.run().run();
    }
    nowNanos = time.toNanos();
  }
}
