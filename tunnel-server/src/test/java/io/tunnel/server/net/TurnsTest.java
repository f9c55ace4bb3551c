package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Which request waits for which other on a thread that principals share. */
final class TurnsTest {

  private final Queue<Runnable> thread = new ArrayDeque<>();
  private final List<String> served = new ArrayList<>();
  private boolean isFull;
  private final Turns turns = new Turns(this::execute, 100, 1_000);

  private void execute(Runnable task) {
    if (isFull) {
      throw new RejectedExecutionException();
    }
    thread.add(task);
  }

  /** A request that is answered when a test says so. */
  private final class Asked implements Turns.Task {
    private final String name;
    private final Frame request;

    Asked(String owner, String name, int bytes) {
      this.name = name;
      this.request = new Frame(Operation.SEEK, FrameKind.REQUEST, 1, new byte[bytes]);
      turns.begin(owner, this);
    }

    @Override
    public Frame request() {
      return request;
    }

    @Override
    public int bytes() {
      return request.payload().length;
    }

    @Override
    public void run() {
      served.add(name);
    }

    @Override
    public void refuse() {
      served.add("no " + name);
      answer();
    }

    void answer() {
      turns.answered(request);
    }
  }

  private List<String> run() {
    while (!thread.isEmpty()) {
      thread.poll().run();
    }
    return served;
  }

  @Test
  void one_who_asks_a_thousand_times_is_waited_for_once() {
    List<Asked> flood = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      flood.add(new Asked("eve", "e" + i, 1));
    }
    Asked bob = new Asked("bob", "b", 1);
    assertThat(run()).containsExactly("e0", "b");
    bob.answer();
    flood.get(0).answer();
    assertThat(run()).containsExactly("e0", "b", "e1");
    Asked carol = new Asked("carol", "c", 1);
    assertThat(run()).endsWith("e1", "c");
    carol.answer();
    for (int i = 1; i < 1_000; i++) {
      flood.get(i).answer();
      assertThat(run()).hasSize(Math.min(1_002, i + 4));
    }
  }

  @Test
  void all_together_have_so_many_bytes_under_way_and_then_take_turns() {
    Asked eve = new Asked("eve", "e0", 60);
    Asked bob = new Asked("bob", "b0", 40);
    Asked carol = new Asked("carol", "c0", 1);
    Asked more = new Asked("eve", "e1", 60);
    assertThat(run()).containsExactly("e0", "b0");
    bob.answer();
    assertThat(run()).containsExactly("e0", "b0", "c0");
    eve.answer();
    assertThat(run()).containsExactly("e0", "b0", "c0", "e1");
    carol.answer();
    more.answer();
    Asked large = new Asked("eve", "large", 1_000);
    assertThat(run()).as("alone it goes on").endsWith("large");
    Asked small = new Asked("bob", "small", 1);
    assertThat(run()).endsWith("large");
    large.answer();
    assertThat(run()).endsWith("small");
    small.answer();
  }

  @Test
  void one_has_so_many_bytes_waiting_and_one_request_of_any_size() {
    Asked first = new Asked("eve", "e0", 1);
    Asked large = new Asked("eve", "e1", 5_000);
    Asked more = new Asked("eve", "e2", 1);
    Asked bob = new Asked("bob", "b0", 1);
    assertThat(run()).containsExactly("no e2", "e0", "b0");
    more.answer();
    bob.answer();
    first.answer();
    assertThat(run()).endsWith("e1");
    Asked half = new Asked("eve", "e3", 600);
    Asked tooMuch = new Asked("eve", "e4", 401);
    Asked fits = new Asked("eve", "e5", 400);
    assertThat(run()).endsWith("e1", "no e4");
    large.answer();
    tooMuch.answer();
    assertThat(run()).endsWith("e3");
    half.answer();
    assertThat(run()).endsWith("e5");
    fits.answer();
  }

  @Test
  void what_is_answered_twice_or_had_no_turn_changes_nothing() {
    Asked first = new Asked("eve", "e0", 1);
    Asked second = new Asked("eve", "e1", 1);
    turns.answered(new Frame(Operation.SEEK, FrameKind.REQUEST, 1, new byte[1]));
    assertThat(run()).containsExactly("e0");
    first.answer();
    first.answer();
    assertThat(run()).containsExactly("e0", "e1");
    Asked third = new Asked("eve", "e2", 1);
    first.answer();
    assertThat(run()).containsExactly("e0", "e1");
    second.answer();
    assertThat(run()).endsWith("e2");
    third.answer();
  }

  @Test
  void when_the_thread_takes_no_more_each_is_refused_and_the_next_comes() {
    Asked first = new Asked("eve", "e0", 1);
    Asked second = new Asked("eve", "e1", 1);
    run();
    isFull = true;
    first.answer();
    assertThat(served).containsExactly("e0", "no e1");
    isFull = false;
    second.answer();
    Asked third = new Asked("eve", "e2", 1);
    assertThat(run()).endsWith("e2");
    third.answer();
  }

  @Test
  void a_turn_of_a_served_request_ends_with_the_service_and_a_flood_is_waited_for_once() {
    for (int i = 0; i < 1_000; i++) {
      String name = "e" + i;
      turns.run("eve", 0, () -> served.add(name), () -> served.add("no " + name));
    }
    turns.run("bob", 0, () -> served.add("b0"), () -> served.add("no b0"));
    turns.run("bob", 0, () -> served.add("b1"), () -> served.add("no b1"));
    assertThat(thread).as("one request of each principal").hasSize(2);
    assertThat(run().subList(0, 4)).containsExactly("e0", "b0", "e1", "b1");
    assertThat(served).as("in the order of the requests").endsWith("e998", "e999").hasSize(1_002);
    assertThat(thread).isEmpty();
  }

  @Test
  void a_service_that_fails_and_a_thread_that_takes_nothing_end_the_turn() {
    turns.run(
        "eve",
        0,
        () -> {
          throw new IllegalStateException("a bug");
        },
        () -> {});
    turns.run("eve", 0, () -> served.add("e1"), () -> {});
    assertThatThrownBy(() -> thread.poll().run()).hasMessage("a bug");
    assertThat(run()).containsExactly("e1");
    isFull = true;
    turns.run("eve", 0, () -> served.add("e2"), () -> served.add("no e2"));
    turns.run("eve", 0, () -> served.add("e3"), () -> served.add("no e3"));
    isFull = false;
    turns.run("eve", 0, () -> served.add("e4"), () -> served.add("no e4"));
    assertThat(run()).containsExactly("e1", "no e2", "no e3", "e4");
  }
}
