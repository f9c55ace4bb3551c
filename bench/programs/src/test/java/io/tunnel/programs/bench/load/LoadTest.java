package io.tunnel.programs.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadTest {

  private static final long SECONDS_MAX = 60;

  private final TurnedClock clock = new TurnedClock();

  /** Ends no turn by itself. */
  private static final class Held implements Client {

    private final Deque<Turn> open = new ArrayDeque<>();
    private int begun;
    private int left;

    @Override
    public void operate(Turn turn) {
      assertThat(open).as("open operations of one client").isEmpty();
      open.add(turn);
      begun++;
    }

    @Override
    public void left() {
      left++;
    }

    void end() {
      open.remove().done();
    }
  }

  @Test
  void a_client_begins_when_its_operation_before_is_done() {
    Held one = new Held();
    Held other = new Held();
    Times times = new Times();
    Load load = Load.begin(clock, Plan.CLOSED.timed(times), List.of(one, other));
    assertThat(List.of(one.begun, other.begun)).containsExactly(1, 1);
    clock.pass(500);
    one.end();
    clock.pass(200);
    one.end();
    assertThat(List.of(one.begun, other.begun)).containsExactly(3, 1);
    assertThat(load.answers()).isEqualTo(2);
    assertThat(load.begun()).isEqualTo(4);
    Histogram nanos = times.histogram();
    assertThat(List.of(nanos.getMinValue(), nanos.getMaxValue())).containsExactly(200L, 500L);
  }

  @Test
  void what_is_done_after_the_stop_does_not_count_and_begins_nothing() throws Exception {
    Held client = new Held();
    Load load = Load.begin(clock, Plan.CLOSED, List.of(client));
    client.end();
    load.stop();
    assertThat(load.isOver()).isFalse();
    client.end();
    assertThat(load.answers()).isEqualTo(1);
    assertThat(client.begun).isEqualTo(2);
    assertThat(client.left).isEqualTo(1);
    assertThat(load.awaitEnd(SECONDS_MAX)).isTrue();
  }

  @Test
  void an_end_stops_and_keeps_an_interrupt() {
    Held client = new Held();
    Load load = Load.begin(clock, Plan.CLOSED, List.of(client));
    Thread.currentThread().interrupt();
    load.end(SECONDS_MAX);
    assertThat(Thread.interrupted()).as("the caller is still interrupted").isTrue();
    assertThat(load.isStopped()).isTrue();
    client.end();
    load.end(SECONDS_MAX);
    assertThat(load.operating()).isZero();
  }

  @Test
  void a_stop_does_not_part_operations_that_belong_together() {
    Held client = new Held();
    Load load = Load.begin(clock, Plan.CLOSED.together(2), List.of(client));
    load.stop();
    client.end();
    assertThat(client.begun).as("the second of two").isEqualTo(2);
    client.end();
    assertThat(client.begun).isEqualTo(2);
    assertThat(load.operating()).isZero();
  }

  @Test
  void each_client_leaves_after_its_operations_or_by_itself() {
    Held counted = new Held();
    AtomicInteger asked = new AtomicInteger();
    Client leaving =
        turn -> {
          asked.incrementAndGet();
          turn.leave();
        };
    Load load = Load.begin(clock, Plan.CLOSED.operations(2), List.of(counted, leaving));
    counted.end();
    assertThat(load.isOver()).isFalse();
    counted.end();
    assertThat(load.isOver()).isTrue();
    assertThat(counted.begun).isEqualTo(2);
    assertThat(asked).hasValue(1);
    assertThat(load.answers()).as("an operation of a client that leaves is none").isEqualTo(2);
  }

  @Test
  void a_client_that_is_done_at_once_needs_no_deeper_stack() {
    AtomicInteger done = new AtomicInteger();
    Load load =
        Load.begin(
            clock,
            Plan.CLOSED.operations(1_000_000),
            List.of(
                turn -> {
                  done.incrementAndGet();
                  turn.done();
                }));
    assertThat(load.isOver()).isTrue();
    assertThat(done).hasValue(1_000_000);
  }

  @Test
  void operations_are_due_at_even_distances_and_late_ones_count_from_then() throws Exception {
    List<Long> due = new ArrayList<>();
    Times times = new Times();
    long startNanos = clock.nanos();
    Client client =
        turn -> {
          due.add(turn.dueNanos() - startNanos);
          // The second one takes as long as five are apart.
          clock.pass(turn.number() == 1 ? 5_000_000 : 0);
          turn.done();
        };
    Load load =
        Load.begin(clock, Plan.CLOSED.at(1_000).operations(8).timed(times), List.of(client));
    load.requireNoFailure();
    assertThat(due).isEqualTo(IntStream.range(0, 8).mapToObj(i -> i * 1_000_000L).toList());
    Histogram nanos = times.histogram();
    assertThat(nanos.getTotalCount()).isEqualTo(8);
    assertThat(nanos.getCountAtValue(4_000_000)).as("the one behind it waited").isEqualTo(1);
    assertThat(nanos.getCountAtValue(0)).isEqualTo(3);
  }

  @Test
  void clients_with_threads_share_the_ordinals_of_a_rate() throws Exception {
    ConcurrentLinkedQueue<Long> ordinals = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
    Client client =
        turn -> {
          ordinals.add(turn.ordinal());
          threads.add(Thread.currentThread().getName());
          turn.done();
        };
    Load load =
        Load.begin(
            clock,
            Plan.CLOSED.at(1e6).operations(500),
            List.of(client, client, client),
            Load.threads("three"));
    assertThat(load.awaitEnd(SECONDS_MAX)).isTrue();
    assertThat(ordinals).hasSize(1_500).doesNotHaveDuplicates().allMatch(each -> each < 1_500);
    assertThat(threads).containsOnly("three");
    assertThat(clock.nanos() - load.startNanos()).isEqualTo(1_499_000);
  }

  @Test
  void the_first_failure_ends_the_run_for_all() throws Exception {
    Held other = new Held();
    Held failing = new Held();
    Load load = Load.begin(clock, Plan.CLOSED.together(2), List.of(other, failing));
    failing.open.remove().failed(new IllegalStateException("the disk is full"));
    assertThat(load.awaitOver(SECONDS_MAX)).isTrue();
    assertThat(load.awaitEnd(0)).as("another operation is open").isFalse();
    other.end();
    assertThat(load.awaitEnd(SECONDS_MAX)).isTrue();
    assertThat(other.begun).as("not even the second of two").isEqualTo(1);
    assertThat(List.of(other.left, failing.left)).containsExactly(1, 1);
    assertThat(load.answers()).isZero();
    assertThatThrownBy(load::requireNoFailure).hasMessage("the disk is full");
  }

  @Test
  void an_exception_of_a_client_is_its_failure() {
    Load load =
        Load.begin(
            clock,
            Plan.CLOSED,
            List.of(
                turn -> {
                  throw new IllegalArgumentException("no such row");
                }));
    assertThat(load.operating()).isZero();
    assertThatThrownBy(load::requireNoFailure).hasMessage("no such row");
  }

  @Test
  void a_turn_ends_once() {
    Held client = new Held();
    var unused = Load.begin(clock, Plan.CLOSED.operations(1), List.of(client));
    Turn turn = client.open.element();
    turn.done();
    assertThatThrownBy(turn::done).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void many_things_are_opened_64_at_a_time() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    List<Integer> opened =
        Load.open(
            130,
            number -> {
              assertThat(number).isEqualTo(begun.getAndIncrement());
              return CompletableFuture.completedFuture(number);
            },
            "connection",
            SECONDS_MAX);
    assertThat(opened).hasSize(130).startsWith(0, 1).endsWith(129);
    begun.set(0);
    assertThatThrownBy(
            () ->
                Load.open(
                    130,
                    number -> {
                      begun.incrementAndGet();
                      return number == 3
                          ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                          : CompletableFuture.completedFuture(number);
                    },
                    "connection",
                    SECONDS_MAX))
        .hasMessage("connection 3 was not opened: refused");
    assertThat(begun).hasValue(64);
  }

  @Test
  void plans_that_cannot_be_are_refused() {
    assertThatThrownBy(() -> Plan.CLOSED.at(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Plan.CLOSED.together(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Plan.CLOSED.operations(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
