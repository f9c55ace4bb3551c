package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.replica.NodeReplicas;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LedStoreTest {

  private final List<String> happened = new ArrayList<>();
  private final List<StoreListener> listeners = new ArrayList<>();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final ControlQueue control = new ControlQueue();
  private boolean isWaitingOver;
  private boolean isHolderBroken;
  private Optional<IOException> openFails = Optional.empty();
  private Optional<IOException> leadFails = Optional.empty();
  private final LedStore store =
      new LedStore("the unit", this::open, control, this::await, new Recorder());
  private final NodeRoles roles =
      new NodeRoles(
          (NodeReplicas)
              Proxy.newProxyInstance(
                  NodeReplicas.class.getClassLoader(),
                  new Class<?>[] {NodeReplicas.class},
                  (proxy, method, arguments) -> Set.of()),
          Map.of(Unit.CATALOG, store));

  /** Does nothing by itself. */
  private static final class ControlQueue extends ScheduledThreadPoolExecutor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private boolean isOver;

    ControlQueue() {
      super(0);
    }

    @Override
    public void execute(Runnable task) {
      if (isOver) {
        throw new RejectedExecutionException("over");
      }
      tasks.add(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      later.add(task);
      return super.schedule(() -> {}, 0, unit);
    }
  }

  private final class FakeStore implements CatalogStore {
    private final int number;

    FakeStore(int number) {
      this.number = number;
    }

    @Override
    public Map<String, String> all() {
      return Map.of();
    }

    @Override
    public void write(Map<String, Optional<String>> changes) {}

    @Override
    public void close() {
      happened.add("closed " + number);
    }
  }

  private final class Recorder implements LedStore.Holder {
    @Override
    public void lead(CatalogStore opened) throws IOException {
      if (isHolderBroken) {
        throw new IllegalStateException("a fault");
      }
      if (leadFails.isPresent()) {
        throw leadFails.get();
      }
      happened.add("leads " + ((FakeStore) opened).number);
    }

    @Override
    public void stored(Map<String, Optional<String>> changes) {
      happened.add("stored " + changes.keySet());
    }

    @Override
    public void resign() {
      happened.add("resigned");
    }
  }

  private void await(Runnable task) {
    if (isWaitingOver) {
      throw new RejectedExecutionException("over");
    }
    waiting.add(task);
  }

  private CatalogStore open(StoreListener listener) throws IOException {
    if (openFails.isPresent()) {
      throw openFails.get();
    }
    listeners.add(listener);
    return new FakeStore(listeners.size());
  }

  @AfterEach
  void end() {
    control.shutdownNow();
  }

  private static void run(Queue<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void runAll() {
    while (!waiting.isEmpty() || !control.tasks.isEmpty()) {
      run(waiting);
      run(control.tasks);
    }
  }

  private void pauseEnds() {
    run(control.later);
    runAll();
  }

  @Test
  void a_store_that_another_node_has_fenced_is_one_line_without_a_trace() {
    try (Logged logged = Logged.of(LedStore.class)) {
      leadFails = Optional.of(new FencedStoreException("another node writes", new IOException()));
      store.lead();
      runAll();
      assertThat(logged.at(Level.WARN))
          .containsExactly(
              "cannot lead the unit yet: another node writes; will retry in 1000 ms if still told"
                  + " to");
      assertThat(logged.traces()).isZero();
    }
    leadFails = Optional.empty();
    pauseEnds();
    assertThat(store.isLeading()).isTrue();
  }

  @Test
  void a_fault_of_the_holder_has_a_trace() {
    try (Logged logged = Logged.of(LedStore.class)) {
      isHolderBroken = true;
      store.lead();
      runAll();
      assertThat(logged.at(Level.WARN)).singleElement().asString().startsWith("cannot lead the");
      assertThat(logged.traces()).isEqualTo(1);
    }
  }

  private void fenced(int number) {
    listeners.get(number - 1).fenced(new FencedStoreException("another", new IOException()));
    runAll();
  }

  @Test
  void leads_when_the_store_is_open_and_resigns_before_it_is_closed() {
    store.lead();
    assertThat(store.isLeading()).isFalse();
    runAll();
    assertThat(store.isLeading()).isTrue();
    store.lead();
    runAll();
    store.leave();
    assertThat(store.isLeading()).isFalse();
    runAll();
    assertThat(happened).containsExactly("leads 1", "resigned", "closed 1");
  }

  @Test
  void what_it_did_not_lead_for_a_moment_is_opened_anew() {
    store.lead();
    runAll();
    store.leave();
    store.lead();
    runAll();
    assertThat(happened).containsExactly("leads 1", "resigned", "closed 1", "leads 2");
    assertThat(store.isLeading()).isTrue();
  }

  @Test
  void one_that_is_suspended_resigns_and_leads_when_it_is_resumed() {
    roles.lead(Unit.CATALOG);
    runAll();
    roles.suspend(true);
    assertThat(store.isLeading()).isFalse();
    assertThat(roles.leads()).as("so it says to its group").containsExactly(Unit.CATALOG);
    runAll();
    roles.suspend(true);
    runAll();
    assertThat(happened).containsExactly("leads 1", "resigned", "closed 1");
    roles.suspend(false);
    roles.suspend(false);
    runAll();
    assertThat(happened).endsWith("closed 1", "leads 2");
    assertThat(store.isLeading()).isTrue();
  }

  @Test
  void one_that_is_suspended_is_not_opened_and_one_that_opens_is_closed() {
    roles.suspend(true);
    roles.lead(Unit.CATALOG);
    runAll();
    assertThat(listeners).isEmpty();
    roles.suspend(false);
    run(control.tasks);
    run(waiting);
    roles.suspend(true);
    runAll();
    assertThat(happened).containsExactly("closed 1");
    roles.leave(Unit.CATALOG);
    roles.suspend(false);
    runAll();
    assertThat(happened).as("it is not to be led any more").containsExactly("closed 1");
  }

  @Test
  void a_pause_that_ends_while_it_is_suspended_opens_nothing() {
    openFails = Optional.of(new IOException("not now"));
    roles.lead(Unit.CATALOG);
    runAll();
    roles.suspend(true);
    openFails = Optional.empty();
    pauseEnds();
    assertThat(listeners).isEmpty();
    roles.suspend(false);
    runAll();
    assertThat(happened).containsExactly("leads 1");
  }

  @Test
  void a_store_that_opens_when_it_is_not_wanted_any_more_is_closed() {
    store.lead();
    run(control.tasks);
    run(waiting);
    store.leave();
    runAll();
    assertThat(happened).containsExactly("closed 1");
    store.lead();
    runAll();
    assertThat(happened).containsExactly("closed 1", "leads 2");
  }

  @Test
  void one_that_is_wanted_again_while_it_opens_is_led_once() {
    store.lead();
    store.leave();
    store.lead();
    runAll();
    assertThat(happened).containsExactly("leads 1");
  }

  @Test
  void what_cannot_be_opened_is_tried_again_after_a_pause() {
    openFails = Optional.of(new IOException("not now"));
    store.lead();
    runAll();
    assertThat(waiting).isEmpty();
    pauseEnds();
    assertThat(store.isLeading()).isFalse();
    openFails = Optional.empty();
    pauseEnds();
    assertThat(happened).containsExactly("leads 1");
  }

  @Test
  void nobody_tries_again_what_is_not_wanted_after_the_pause() {
    openFails = Optional.of(new IOException("not now"));
    store.lead();
    runAll();
    store.leave();
    openFails = Optional.empty();
    pauseEnds();
    assertThat(happened).isEmpty();
    assertThat(listeners).isEmpty();
  }

  @Test
  void a_store_whose_texts_cannot_be_taken_over_is_closed_and_opened_again() {
    leadFails = Optional.of(new IOException("damaged"));
    store.lead();
    runAll();
    assertThat(happened).containsExactly("closed 1");
    leadFails = Optional.empty();
    pauseEnds();
    assertThat(happened).containsExactly("closed 1", "leads 2");
  }

  @Test
  void one_that_is_fenced_resigns_and_comes_back_after_a_pause() {
    store.lead();
    runAll();
    fenced(1);
    assertThat(store.isLeading()).isFalse();
    assertThat(happened).containsExactly("leads 1", "resigned", "closed 1");
    pauseEnds();
    assertThat(happened).endsWith("leads 2");
    fenced(1);
    listeners.get(0).stored(Map.of("late", Optional.empty()));
    assertThat(store.isLeading()).as("the former store has no say").isTrue();
    listeners.get(1).stored(Map.of("own", Optional.empty()));
    assertThat(happened).endsWith("leads 2", "stored [own]");
  }

  @Test
  void a_store_that_opens_behind_the_close_is_closed() throws IOException {
    store.lead();
    run(control.tasks);
    run(waiting);
    store.close();
    runAll();
    assertThat(happened).containsExactly("closed 1");
    assertThat(store.isLeading()).isFalse();
  }

  @Test
  void a_store_is_closed_though_nobody_waits_any_more() throws IOException {
    store.lead();
    run(control.tasks);
    run(waiting);
    store.close();
    isWaitingOver = true;
    runAll();
    assertThat(happened).containsExactly("closed 1");
  }

  @Test
  void a_store_that_opens_when_its_owner_has_ended_is_closed() {
    store.lead();
    run(control.tasks);
    control.isOver = true;
    run(waiting);
    assertThat(happened).containsExactly("closed 1");
  }

  @Test
  void what_is_to_be_led_behind_the_close_is_not_opened() throws IOException {
    store.close();
    store.lead();
    runAll();
    assertThat(listeners).isEmpty();
  }

  @Test
  void nothing_is_opened_behind_the_close() throws IOException {
    openFails = Optional.of(new IOException("not now"));
    store.lead();
    runAll();
    store.close();
    openFails = Optional.empty();
    pauseEnds();
    assertThat(listeners).isEmpty();
  }

  @Test
  void the_store_that_is_open_is_closed_with_it() throws IOException {
    store.lead();
    runAll();
    store.close();
    assertThat(happened).containsExactly("leads 1", "closed 1");
  }

  private static void runOne(Queue<Runnable> tasks) {
    Optional.ofNullable(tasks.poll()).ifPresent(Runnable::run);
  }

  @Test
  void in_any_order_of_events_it_does_in_the_end_what_it_was_told_last() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      boolean isWanted = false;
      for (int step = 0; step < 60; step++) {
        openFails = random.nextInt(4) == 0 ? Optional.of(new IOException("no")) : Optional.empty();
        leadFails = random.nextInt(8) == 0 ? Optional.of(new IOException("no")) : Optional.empty();
        switch (random.nextInt(6)) {
          case 0 -> {
            isWanted = true;
            store.lead();
          }
          case 1 -> {
            isWanted = false;
            store.leave();
            assertThat(store.isLeading()).as("seed %d", seed).isFalse();
          }
          case 2 -> runOne(waiting);
          case 3 -> runOne(control.later);
          case 4 -> {
            if (!listeners.isEmpty() && random.nextInt(4) == 0) {
              listeners
                  .get(listeners.size() - 1)
                  .fenced(new FencedStoreException("another", new IOException()));
            }
          }
          default -> runOne(control.tasks);
        }
      }
      openFails = Optional.empty();
      leadFails = Optional.empty();
      runAll();
      pauseEnds();
      assertThat(store.isLeading()).as("seed %d", seed).isEqualTo(isWanted);
      long led = happened.stream().filter(what -> what.startsWith("leads")).count();
      long resigned = happened.stream().filter("resigned"::equals).count();
      long closed = happened.stream().filter(what -> what.startsWith("closed")).count();
      assertThat(led - resigned).as("seed %d", seed).isEqualTo(isWanted ? 1 : 0);
      assertThat(listeners.size() - closed).as("seed %d", seed).isEqualTo(isWanted ? 1 : 0);
    }
  }
}
