package io.tunnel.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.stress.rows.GeneratedRows;
import io.tunnel.stress.rows.RowSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadRunTest {

  private static final long SECOND = 1_000_000_000L;

  private final ManualClock clock = new ManualClock(5 * SECOND);

  /** Rows with the ids 0 to {@code count} - 1. */
  private static RowSource rows(int count) {
    AtomicInteger next = new AtomicInteger();
    return () -> {
      int id = next.getAndIncrement();
      return id < count ? new RowDeleteChange(GeneratedRows.key(id)) : null;
    };
  }

  private static LoadPlan plan(RowSource... sources) {
    return new LoadPlan(
        List.of(sources), OptionalLong.empty(), Optional.empty(), OptionalLong.empty());
  }

  private LoadRun run(RowSink sink, LoadPlan plan) throws InterruptedException {
    LoadRun run = new LoadRun(sink, plan, clock, (row, result, now) -> {});
    run.start(Thread::new);
    assertThat(run.awaitSenders(30_000)).isTrue();
    return run;
  }

  @Test
  void every_row_of_every_source_is_sent_and_counted() throws InterruptedException {
    FakeSink sink = new FakeSink();
    LoadRun run = run(sink, plan(rows(100), rows(50)));
    run.requireNoFailure();
    assertThat(sink.rows()).hasSize(150);
    WriteTally.Counts counts = run.tally().counts();
    assertThat(counts.applied()).isEqualTo(150);
    assertThat(counts.rows()).isEqualTo(150);
    assertThat(counts.allApplied()).isTrue();
    assertThat(counts.appliedBytes()).isEqualTo(150L * RowSize.of(sink.rows().get(0)));
  }

  @Test
  void a_stopped_run_leaves_a_source_that_is_silent_and_sends_nothing_of_it_later()
      throws InterruptedException {
    FakeSink sink = new FakeSink();
    RowSource three = rows(3);
    CountDownLatch silent = new CountDownLatch(1);
    CountDownLatch speaks = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    RowSource pipe =
        () -> {
          RowChange row = three.next();
          if (row != null) {
            return row;
          }
          silent.countDown();
          try {
            speaks.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          read.countDown();
          return new RowDeleteChange(GeneratedRows.key(3));
        };
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    LoadRun run = new LoadRun(sink, plan(pipe), clock, (row, result, now) -> {});
    run.start(
        task -> {
          Thread thread = new Thread(task);
          threads.add(thread);
          return thread;
        });
    silent.await();
    assertThat(run.awaitSenders(50)).isFalse();
    assertThat(run.awaitSenders(50)).as("not stopped").isFalse();
    assertThat(run.hasLeftReader()).isFalse();
    run.stop();
    assertThat(run.awaitSenders(50)).isFalse();
    assertThat(run.awaitSenders(30_000)).isTrue();
    assertThat(run.hasLeftReader()).isTrue();
    run.requireNoFailure();
    speaks.countDown();
    read.await();
    threads.get(0).join();
    assertThat(sink.rows()).hasSize(3);
  }

  @Test
  void rows_are_shared_among_the_senders_to_the_last() throws InterruptedException {
    FakeSink sink = new FakeSink();
    LoadPlan plan =
        new LoadPlan(
            List.of(rows(99), rows(99), rows(99)),
            OptionalLong.of(11),
            Optional.empty(),
            OptionalLong.empty());
    run(sink, plan).requireNoFailure();
    assertThat(sink.rows()).hasSize(11);
    assertThat(plan.rowsOf(0) + plan.rowsOf(1) + plan.rowsOf(2)).isEqualTo(11);
  }

  /** A hundred rows a second, of more than there is time for. */
  private static LoadPlan threeSecondsPaced() {
    return new LoadPlan(
        List.of(rows(1_000_000)),
        OptionalLong.empty(),
        Optional.of(Duration.ofSeconds(3)),
        OptionalLong.of(100));
  }

  @Test
  void a_paced_run_sends_for_its_duration_at_its_rate() throws InterruptedException {
    FakeSink sink = new FakeSink();
    run(sink, threeSecondsPaced()).requireNoFailure();
    assertThat(sink.rows()).hasSize(300);
    assertThat(clock.nanos()).isEqualTo(5 * SECOND + 2_990_000_000L);
  }

  @Test
  void a_paced_run_ends_in_time_behind_a_server_that_cannot_keep_up() throws InterruptedException {
    FakeSink slow =
        new FakeSink(
            number -> {
              clock.advance(SECOND / 2);
              return FakeSink.applied(number);
            });
    LoadRun run = run(slow, threeSecondsPaced());
    run.requireNoFailure();
    assertThat(slow.rows()).hasSize(6);
    assertThat(clock.nanos()).isEqualTo(5 * SECOND + 3 * SECOND);
    assertThat(run.tally().counts().missed()).as("of 300 that were due").isEqualTo(294);
    Histogram micros = run.tally().intervalLatencies();
    assertThat(micros.getTotalCount()).isEqualTo(300);
    assertThat(micros.getValueAtPercentile(50)).isBetween(1_400_000L, 1_600_000L);
    assertThat(micros.getMaxValue()).as("the last row was due at once").isGreaterThan(2_900_000);
  }

  @Test
  void rows_that_are_due_when_a_run_is_stopped_are_counted_and_others_are_not()
      throws InterruptedException {
    LoadRun[] stopped = new LoadRun[1];
    FakeSink stopping =
        new FakeSink(
            number -> {
              if (number == 4) {
                clock.advance(SECOND);
                stopped[0].stop();
              }
              return FakeSink.applied(number);
            });
    LoadPlan plan =
        new LoadPlan(
            List.of(rows(1_000)), OptionalLong.of(12), Optional.empty(), OptionalLong.of(10));
    stopped[0] = new LoadRun(stopping, plan, clock, (row, result, now) -> {});
    stopped[0].start(Thread::new);
    assertThat(stopped[0].awaitSenders(30_000)).isTrue();
    assertThat(stopping.rows()).hasSize(5);
    assertThat(stopped[0].tally().counts().missed()).as("7 are left of 12").isEqualTo(7);
    LoadRun unpaced =
        run(
            new FakeSink(),
            new LoadPlan(
                List.of(rows(20)),
                OptionalLong.empty(),
                Optional.of(Duration.ofSeconds(1)),
                OptionalLong.empty()));
    assertThat(unpaced.tally().counts().missed()).as("nothing is due without a rate").isZero();
  }

  @Test
  void an_error_in_a_sender_is_not_taken_for_the_end_of_its_rows() throws InterruptedException {
    RowSource broken =
        () -> {
          throw new StackOverflowError();
        };
    LoadRun run = run(new FakeSink(), plan(broken));
    assertThatThrownBy(run::requireNoFailure).isInstanceOf(StackOverflowError.class);
  }

  @Test
  void latency_runs_from_the_intended_time_so_a_stall_shows_in_all_rows_behind_it()
      throws InterruptedException {
    // The server takes 1 s for the first row; nine rows were meant to leave meanwhile.
    RowSink stalling =
        new FakeSink(
            number -> {
              clock.advance(number == 0 ? SECOND : 0);
              return FakeSink.applied(number);
            });
    LoadPlan plan =
        new LoadPlan(
            List.of(rows(20)), OptionalLong.empty(), Optional.empty(), OptionalLong.of(10));
    LoadRun run = run(stalling, plan);
    run.requireNoFailure();
    Histogram micros = run.tally().intervalLatencies();
    assertThat(micros.getTotalCount()).isEqualTo(20);
    // 1000, 900, … 100 ms for the first ten, then none.
    assertThat(micros.getCountBetweenValues(50_000, 2_000_000)).isEqualTo(10);
    assertThat(micros.getMaxValue()).isBetween(1_000_000L, 1_001_000L);
    assertThat(micros.getValueAtPercentile(50)).isZero();
  }

  @Test
  void the_observer_learns_every_outcome_in_order_with_the_time() throws InterruptedException {
    List<String> seen = new ArrayList<>();
    FakeSink sink =
        new FakeSink(
            number ->
                number == 1
                    ? FakeSink.failed(RowResult.Outcome.REJECTED)
                    : FakeSink.applied(number));
    LoadRun run =
        new LoadRun(
            sink,
            plan(rows(3)),
            clock,
            (row, result, now) -> seen.add(result.outcome() + "@" + now / SECOND));
    run.start(Thread::new);
    assertThat(run.awaitSenders(30_000)).isTrue();
    assertThat(seen).containsExactly("APPLIED@5", "REJECTED@5", "APPLIED@5");
  }

  @Test
  void rejected_rows_and_rows_in_doubt_do_not_end_the_run() throws InterruptedException {
    FakeSink sink =
        new FakeSink(
            number ->
                switch (number % 4) {
                  case 1 -> FakeSink.failed(RowResult.Outcome.REJECTED);
                  case 2 -> FakeSink.failed(RowResult.Outcome.IN_DOUBT);
                  default -> FakeSink.applied(number);
                });
    LoadRun run = run(sink, plan(rows(100)));
    run.requireNoFailure();
    WriteTally.Counts counts = run.tally().counts();
    assertThat(counts.applied()).isEqualTo(50);
    assertThat(counts.rejected()).isEqualTo(25);
    assertThat(counts.inDoubt()).isEqualTo(25);
    assertThat(counts.errors()).isEqualTo(25);
    assertThat(counts.allApplied()).isFalse();
    assertThat(run.serverIsAway()).isFalse();
    for (RowResult.Outcome outcome : RowResult.Outcome.values()) {
      assertThat(run.tally().examples(outcome))
          .hasSize(
              outcome == RowResult.Outcome.REJECTED || outcome == RowResult.Outcome.IN_DOUBT
                  ? WriteTally.EXAMPLES_MAX
                  : 0)
          .allSatisfy(example -> assertThat(example).startsWith(outcome.name()));
    }
    assertThat(run.tally().examples(RowResult.Outcome.REJECTED).get(0))
        .contains("REJECTED DELETE", "seq=1", "because");
    List<RowChange> inDoubt = run.tally().drainInDoubt();
    assertThat(inDoubt).hasSize(25);
    assertThat(inDoubt.get(0)).isEqualTo(sink.rows().get(2));
    assertThat(run.tally().drainInDoubt()).isEmpty();
  }

  @Test
  void a_row_that_was_never_sent_ends_the_run() throws InterruptedException {
    FakeSink sink =
        new FakeSink(
            number ->
                number < 10
                    ? FakeSink.applied(number)
                    : FakeSink.failed(RowResult.Outcome.NOT_SENT));
    LoadRun run = run(sink, plan(rows(1_000)));
    run.requireNoFailure();
    assertThat(sink.rows()).hasSize(11);
    assertThat(run.serverIsAway()).isTrue();
    assertThat(run.tally().counts().notSent()).isEqualTo(1);
  }

  @Test
  void a_source_that_fails_ends_all_senders_and_the_rows_sent_before_keep_their_outcomes()
      throws InterruptedException {
    AtomicInteger given = new AtomicInteger();
    RowSource failing =
        () -> {
          if (given.incrementAndGet() > 5) {
            throw new BadLineException("line 7");
          }
          return new RowDeleteChange(GeneratedRows.key(1));
        };
    FakeSink sink = new FakeSink().holding();
    LoadRun run = run(sink, plan(failing));
    assertThatThrownBy(run::requireNoFailure)
        .isInstanceOf(BadLineException.class)
        .hasMessage("line 7");
    assertThat(run.tally().counts().applied()).isEqualTo(5);
  }

  @Test
  void a_row_that_the_writer_refuses_is_the_sources_to_judge() throws InterruptedException {
    RowSink picky =
        new RowSink() {
          @Override
          public void add(RowChange row, io.tunnel.sdk.RowCallback callback) {
            throw new IllegalArgumentException("too large");
          }

          @Override
          public void flush() {}
        };
    List<String> judged = new ArrayList<>();
    RowSource lenient =
        new RowSource() {
          private final RowSource rows = rows(3);

          @Override
          public RowChange next() {
            return rows.next();
          }

          @Override
          public void refused(IllegalArgumentException why) {
            judged.add(why.getMessage());
          }
        };
    run(picky, plan(lenient)).requireNoFailure();
    assertThat(judged).containsExactly("too large", "too large", "too large");

    LoadRun strict = run(picky, plan(rows(3)));
    assertThatThrownBy(strict::requireNoFailure).hasMessage("too large");
  }

  @Test
  void the_senders_have_ended_when_the_last_row_has_its_outcome() throws InterruptedException {
    LoadRun run = run(new FakeSink().holding(), plan(rows(10), rows(10)));
    assertThat(run.tally().counts().applied()).isEqualTo(20);
  }

  @Test
  void plans_that_make_no_sense_are_refused() {
    assertThatThrownBy(
            () ->
                new LoadPlan(
                    List.of(), OptionalLong.empty(), Optional.empty(), OptionalLong.empty()))
        .hasMessageContaining("at least 1 sender");
    assertThatThrownBy(
            () ->
                new LoadPlan(
                    List.of(rows(1)), OptionalLong.of(0), Optional.empty(), OptionalLong.empty()))
        .hasMessageContaining("at least 1 row, not 0");
  }
}
