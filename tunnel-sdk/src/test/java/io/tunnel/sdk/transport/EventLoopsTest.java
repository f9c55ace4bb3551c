package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class EventLoopsTest {

  private final EventLoops loops = new EventLoops(3);

  @Test
  void users_are_spread_evenly_over_the_loops_and_the_last_user_ends_them() {
    List<EventLoops.Place> places = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      places.add(loops.place());
    }
    Set<EventLoop> used = new HashSet<>();
    places.forEach(place -> used.add(place.loop()));
    assertThat(used).hasSize(3);
    for (EventLoop loop : used) {
      assertThat(places.stream().filter(place -> place.loop() == loop)).hasSize(3);
    }
    EventLoops.Place last = places.remove(4);
    EventLoops.Place twice = loops.place();
    twice.close();
    twice.close(); // Counts once.
    places.forEach(EventLoops.Place::close);
    assertThat(used).noneMatch(EventLoop::isShuttingDown);
    last.close();
    assertThat(used).allMatch(EventLoop::isTerminated);
  }

  @Test
  void a_place_after_the_last_one_has_threads_again() {
    loops.place().close();
    try (EventLoops.Place later = loops.place()) {
      CountDownLatch ran = new CountDownLatch(1);
      later.execute(ran::countDown);
      Waits.await(ran);
    }
  }

  @Test
  void a_closed_place_runs_no_timer_and_takes_no_task_while_its_loop_serves_others() {
    EventLoops one = new EventLoops(1);
    try (EventLoops.Place other = one.place()) {
      EventLoops.Place place = one.place();
      AtomicBoolean ran = new AtomicBoolean();
      CountDownLatch passed = new CountDownLatch(1);
      CountDownLatch gate = new CountDownLatch(1);
      other.execute(() -> Waits.await(gate)); // The timer below is due, and has not run.
      place.schedule(() -> ran.set(true), 0);
      place.schedule(() -> ran.set(true), TimeUnit.HOURS.toNanos(1));
      place.close();
      gate.countDown();
      other.schedule(passed::countDown, 0);
      Waits.await(passed);
      assertThat(ran).isFalse();
      assertThatThrownBy(() -> place.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class);
      assertThatThrownBy(() -> place.schedule(() -> {}, 1))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  void a_closed_place_closes_its_own_connections_alone() {
    EventLoops one = new EventLoops(1);
    try (FakeServer server = new FakeServer();
        EventLoops.Place other = one.place()) {
      EventLoops.Place place = one.place();
      LoadedConfig config = LoadedConfig.of(server.config());
      Connection closed = open(place, config);
      Connection kept = open(other, config);
      place.close();
      assertThat(closed.isOpen()).isFalse();
      assertThat(kept.isOpen()).isTrue();
      assertThatThrownBy(() -> open(place, config)).isInstanceOf(RuntimeException.class);
    }
  }

  private static Connection open(EventLoops.Place place, LoadedConfig config) {
    return Connection.open(
            ClientPort.of(place, new SystemClock()),
            config,
            config.config().endpoints().get(0),
            PushReceiver.NONE)
        .join();
  }
}
