package io.tunnel.programs.bench.seeds.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PublishLoadTest {

  private static final int PUBLISHERS = 3;
  private static final int PATHS = 5;

  /** The path that a fault is for, of publisher 1. */
  private static final int FAULTY = 2;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  /** Each look is 10 ms later. */
  private final LoadClock clock =
      new LoadClock() {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanos() {
          return nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
        }

        @Override
        public long epochMs() {
          return 0;
        }

        @Override
        public void waitUntil(long until, BooleanSupplier stopped) {
          do {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
          } while (nanos() < until && !stopped.getAsBoolean());
        }
      };

  private final List<LoadLine> lines = Collections.synchronizedList(new ArrayList<>());

  private enum Fault {
    NONE,
    LOSES_AN_EVENT,
    REPEATS_AN_EVENT,
    SWAPS_EVENTS,
    READS_NOTHING,
    REFUSES
  }

  /** A service in memory, with a fault or none. Its thread owns the fields. */
  private final class Memory implements Publishing {

    private final PublishCase what;
    private final Fault fault;
    private final Set<String> paths = new HashSet<>();
    private final List<Runnable> held = new ArrayList<>();
    private Optional<Events> events = Optional.empty();
    private boolean isClosed;

    Memory(PublishCase what, Fault fault) {
      this.what = what;
      this.fault = fault;
    }

    @Override
    public void follow(Events heard) {
      thread.execute(() -> events = Optional.of(heard));
    }

    @Override
    public void ask(int publisher, Request request, int path, Consumer<Optional<String>> answer) {
      thread.execute(
          () -> {
            boolean isFaulty = publisher == 1 && path == FAULTY;
            if (isFaulty && fault == Fault.REFUSES) {
              answer.accept(Optional.of("the disk is full"));
              return;
            }
            String name = publisher + "/" + path;
            boolean isApplied =
                switch (request) {
                  case CREATE -> paths.add(name);
                  case DELETE -> paths.remove(name);
                  case SET -> paths.contains(name);
                };
            if (isApplied && request == Request.CREATE && events.isPresent()) {
              tell(publisher, path, isFaulty);
            }
            answer.accept(isApplied ? Optional.empty() : Optional.of(name + " is not so"));
          });
    }

    private void tell(int publisher, int path, boolean isFaulty) {
      for (int i = 0; i < what.subscribersOfPath(); i++) {
        int subscriber = publisher * what.subscribersOfPath() + i;
        Runnable event = () -> events.get().created(subscriber, path);
        boolean isLast = i == what.subscribersOfPath() - 1;
        if (isFaulty && isLast && fault == Fault.SWAPS_EVENTS) {
          held.add(event);
          continue;
        }
        if (!(isFaulty && isLast && fault == Fault.LOSES_AN_EVENT)) {
          event.run();
        }
        if (isFaulty && isLast && fault == Fault.REPEATS_AN_EVENT) {
          event.run();
        }
        if (publisher == 1 && isLast) {
          held.forEach(Runnable::run);
          held.clear();
        }
      }
    }

    @Override
    public void read(int subscriber, int path, Consumer<Optional<String>> answer) {
      thread.execute(
          () ->
              answer.accept(
                  fault == Fault.READS_NOTHING && path == FAULTY
                      ? Optional.of("nothing is there")
                      : Optional.empty()));
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @AfterEach
  void end() {
    thread.shutdownNow();
  }

  private Memory run(Action action, Fault fault) throws Exception {
    PublishCase what = new PublishCase(action, PUBLISHERS, 2, PATHS, 64, 1, 2);
    Memory memory = new Memory(what, fault);
    PublishLoad.cases(ignored -> memory, clock).run(what.text(), lines::add);
    assertThat(memory.isClosed).isTrue();
    return memory;
  }

  private LoadLine line(Word word) {
    return lines.stream().filter(each -> each.word() == word).findFirst().orElseThrow();
  }

  private void assertFailed(int missing, int wrong, int requests) {
    LoadLine done = line(Word.DONE);
    assertThat(done.number(PublishFigures.MISSING)).isEqualTo(missing);
    assertThat(done.number(PublishFigures.WRONG)).isEqualTo(wrong);
    assertThat(done.number(PublishFigures.FAILED)).isEqualTo(missing + wrong + requests);
  }

  @Test
  void every_subscriber_hears_of_every_path_once() throws Exception {
    run(Action.NOTIFY, Fault.NONE);
    assertThat(lines)
        .extracting(LoadLine::word)
        .containsExactly(Word.MEASURING, Word.MEASURED, Word.DONE);
    assertThat(line(Word.MEASURED).number("mainCount")).isEqualTo(PUBLISHERS * 2 * PATHS);
    assertThat(line(Word.MEASURED).number("mainAverage")).isPositive();
    assertFailed(0, 0, 0);
  }

  @Test
  void every_subscriber_reads_what_it_hears_of() throws Exception {
    run(Action.NOTIFY_READ, Fault.NONE);
    assertThat(line(Word.MEASURED).number("dataCount")).isEqualTo(PUBLISHERS * 2 * PATHS);
    assertFailed(0, 0, 0);
  }

  @Test
  void paths_are_created_and_deleted_in_turn_and_none_is_left() throws Exception {
    Memory memory = run(Action.CREATE_DELETE, Fault.NONE);
    assertThat(line(Word.MEASURED).number("mainCount")).isPositive();
    assertThat(memory.paths).isEmpty();
    assertFailed(0, 0, 0);
  }

  @Test
  void paths_that_are_set_are_there_before() throws Exception {
    Memory memory = run(Action.SET, Fault.NONE);
    assertThat(line(Word.MEASURED).number("mainCount")).isPositive();
    assertThat(memory.paths).hasSize(PUBLISHERS * PATHS);
    assertFailed(0, 0, 0);
  }

  @Test
  void a_lost_event_is_missing() throws Exception {
    run(Action.NOTIFY, Fault.LOSES_AN_EVENT);
    assertFailed(1, 0, 0);
  }

  @Test
  void a_repeated_event_is_wrong() throws Exception {
    run(Action.NOTIFY, Fault.REPEATS_AN_EVENT);
    assertFailed(0, 1, 0);
  }

  @Test
  void an_event_that_another_overtook_is_wrong() throws Exception {
    run(Action.NOTIFY, Fault.SWAPS_EVENTS);
    assertFailed(0, 1, 0);
  }

  @Test
  void a_read_that_finds_nothing_is_a_failure() throws Exception {
    run(Action.NOTIFY_READ, Fault.READS_NOTHING);
    assertThat(line(Word.DONE).number(PublishFigures.FAILED)).isPositive();
  }

  @Test
  void a_refused_request_is_a_failure_and_ends_the_case() throws Exception {
    run(Action.CREATE_DELETE, Fault.REFUSES);
    assertThat(line(Word.DONE).number(PublishFigures.FAILED)).isPositive();
  }
}
