package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The owner of a store, whose thread is the test's: it hears of events when the test says so. */
final class FakeStoreOwner implements StoreListener {

  final List<Map<String, Optional<String>>> stored = new ArrayList<>();
  final List<FencedStoreException> fences = new ArrayList<>();
  boolean takesOver = true;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  KafkaCatalogStore.Owner asOwner() {
    return new KafkaCatalogStore.Owner(tasks::add, this);
  }

  @Override
  public void stored(Map<String, Optional<String>> changes) {
    if (!takesOver) {
      throw new IllegalStateException("not taken over");
    }
    stored.add(changes);
  }

  @Override
  public void fenced(FencedStoreException reason) {
    fences.add(reason);
  }

  /** Waits until something is to be told, and lets it be. */
  void awaitTold() throws InterruptedException {
    Runnable task = tasks.poll(60, TimeUnit.SECONDS);
    assertThat(task).as("what the store tells within a minute").isNotNull();
    task.run();
  }

  /** Lets be told what comes within a moment. */
  void listen() throws InterruptedException {
    Runnable task = tasks.poll(20, TimeUnit.MILLISECONDS);
    if (task != null) {
      task.run();
    }
  }

  /** Waits until something is to be told, and leaves it. */
  void awaitWaiting() throws InterruptedException {
    Runnable task = tasks.poll(60, TimeUnit.SECONDS);
    assertThat(task).isNotNull();
    tasks.add(task);
  }
}
