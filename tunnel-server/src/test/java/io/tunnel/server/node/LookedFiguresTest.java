package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The lag of partitions whose leaders are other nodes. */
final class LookedFiguresTest {

  private static final int PARTITIONS = 6;
  private static final int STEPS = 150;

  private LookedLog log;
  private LookedFigures figures;

  @BeforeEach
  void begin() {
    log = new LookedLog(PARTITIONS);
    log.isPrompt = true;
    // This node has replicas of the partitions that it leads, and no others.
    figures = new LookedFigures(new Own(), partition -> partition % 3 == 0, log.leaders);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int i = 1; i <= 10; i++) {
        log.append(partition, 100L * i);
      }
    }
  }

  /** The replicas of the node lack the changes before this position. */
  private long ownFirst = 1;

  /** What the node knows without a question: each figure is 7. */
  private final class Own implements LogFigures {
    @Override
    public long committed(int partition) {
      return 7;
    }

    @Override
    public long firstPosition(int partition) {
      return 7;
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return position + 1 < ownFirst ? UNKNOWN : 7;
    }

    @Override
    public long commitMicrosAfter(int partition, long position) {
      return 7;
    }

    @Override
    public Optional<Long> givenUpMicros(int partition) {
      return Optional.of(7L);
    }
  }

  @Test
  void a_replica_of_the_node_answers_without_a_question() throws Exception {
    log.isPrompt = false;
    LogFigures told = about(Map.of(0, Set.of(4L)));
    assertThat(log.requests).isEmpty();
    assertThat(told.committed(0)).isEqualTo(7);
    assertThat(told.bytesAfter(0, 4)).isEqualTo(7);
    assertThat(told.commitMicrosAfter(0, 4)).isEqualTo(7);
    assertThat(told.givenUpMicros(0)).contains(7L);
  }

  @Test
  void the_leader_is_asked_about_changes_that_the_replica_of_the_node_lacks() throws Exception {
    ownFirst = 5;
    LogFigures told = about(Map.of(0, Set.of(2L), 3, Set.of(4L)));
    assertThat(told.committed(0)).isEqualTo(10);
    assertThat(told.commitMicrosAfter(0, 2)).isEqualTo(300);
    assertThat(told.bytesAfter(0, 2)).isEqualTo(80);
    assertThat(told.committed(3)).as("the replica has all of these changes").isEqualTo(7);
    assertThat(told.commitMicrosAfter(3, 4)).isEqualTo(7);
  }

  @Test
  void a_replica_answers_as_far_as_it_knows_when_the_leader_does_not() throws Exception {
    ownFirst = 5;
    log.isUnavailable = true;
    LogFigures told = about(Map.of(0, Set.of(2L)));
    assertThat(told.committed(0)).isEqualTo(7);
    assertThat(told.bytesAfter(0, 2)).isEqualTo(LogFigures.UNKNOWN);
    assertThat(told.commitMicrosAfter(0, 2)).isEqualTo(LogFigures.UNKNOWN);
    assertThat(told.bytesAfter(0, 4)).isEqualTo(7);
    assertThat(told.commitMicrosAfter(0, 4)).isEqualTo(7);
  }

  private LogFigures about(Map<Integer, Set<Long>> positions) {
    CompletableFuture<LogFigures> told = figures.about(positions);
    assertThat(told).isCompleted();
    return told.join();
  }

  private static void requireUnknown(LogFigures told, int partition, long position)
      throws IOException {
    assertThat(told.committed(partition)).isEqualTo(LogFigures.UNKNOWN);
    assertThat(told.bytesAfter(partition, position)).isEqualTo(LogFigures.UNKNOWN);
    assertThat(told.commitMicrosAfter(partition, position)).isEqualTo(LogFigures.UNKNOWN);
  }

  @Test
  void a_leader_elsewhere_tells_end_bytes_and_time() throws Exception {
    log.trim(1, 3);
    LogFigures told = about(Map.of(1, Set.of(4L, 10L), 2, Set.of(0L)));
    assertThat(told.committed(1)).isEqualTo(10);
    assertThat(told.firstPosition(1)).isEqualTo(3);
    assertThat(told.bytesAfter(1, 4)).isEqualTo(60);
    assertThat(told.commitMicrosAfter(1, 4)).isEqualTo(500);
    assertThat(told.bytesAfter(1, 10)).isZero();
    assertThat(told.commitMicrosAfter(1, 10)).isZero();
    assertThat(told.commitMicrosAfter(2, 0)).isEqualTo(100);
    assertThat(told.bytesAfter(1, 5)).as("nobody asked").isEqualTo(LogFigures.UNKNOWN);
  }

  @Test
  void one_look_at_each_leader_serves_all_its_partitions_for_a_second() {
    log.isPrompt = false;
    Map<Integer, Set<Long>> positions =
        Map.of(0, Set.of(1L), 1, Set.of(1L), 2, Set.of(1L), 4, Set.of(1L), 5, Set.of(1L));
    CompletableFuture<LogFigures> told = figures.about(positions);
    assertThat(log.requests)
        .extracting(request -> request.node() + " " + request.questions().size())
        .containsExactly("n2 2", "n3 2");
    List.copyOf(log.requests).forEach(log::answer);
    assertThat(told).isCompleted();
    log.later.pass(LookedFigures.AGE_MS_MAX - 1);
    assertThat(figures.about(positions)).isCompleted();
    assertThat(log.requests).isEmpty();
    var unusedOther = figures.about(Map.of(1, Set.of(2L)));
    assertThat(log.requests).as("another position").hasSize(1);
    log.later.pass(1);
    var unusedLater = figures.about(positions);
    assertThat(log.requests).hasSize(3);
  }

  @Test
  void a_leader_that_does_not_answer_leaves_its_partitions_unknown() throws Exception {
    log.isPrompt = false;
    CompletableFuture<LogFigures> told = figures.about(Map.of(1, Set.of(4L), 2, Set.of(4L)));
    log.answer(log.requests.get(0));
    log.later.pass(LookedFigures.WAIT_MS_MAX - 1);
    assertThat(told).isNotDone();
    log.later.pass(1);
    assertThat(told.join().committed(1)).isEqualTo(10);
    requireUnknown(told.join(), 2, 4);
  }

  @Test
  void an_answer_that_was_true_a_while_ago_does_not_hide_that_a_leader_is_silent()
      throws Exception {
    var unused = about(Map.of(1, Set.of(4L)));
    log.isPrompt = false;
    log.later.pass(LookedFigures.AGE_MS_MAX);
    CompletableFuture<LogFigures> told = figures.about(Map.of(1, Set.of(4L)));
    log.later.pass(LookedFigures.WAIT_MS_MAX);
    requireUnknown(told.join(), 1, 4);
  }

  @Test
  void a_node_that_stops_knows_nothing_and_waits_for_nobody() throws Exception {
    log.isPrompt = false;
    log.later.stop();
    requireUnknown(about(Map.of(1, Set.of(4L))), 1, 4);
  }

  @Test
  void many_positions_of_a_partition_are_asked_in_rounds_up_to_a_limit() throws Exception {
    int max = LookedFigures.ROUNDS_MAX * LookRequest.POSITIONS_MAX;
    Set<Long> many = LongStream.rangeClosed(0, max).boxed().collect(Collectors.toSet());
    LogFigures told = about(Map.of(1, many));
    assertThat(told.bytesAfter(1, 0)).isEqualTo(100);
    assertThat(told.bytesAfter(1, LookRequest.POSITIONS_MAX)).isZero();
    assertThat(told.bytesAfter(1, max - 1)).isZero();
    assertThat(told.bytesAfter(1, max)).isEqualTo(LogFigures.UNKNOWN);
  }

  /** A description under way, with the index of each state at the oldest answer that may serve. */
  private record Pending(
      CompletableFuture<LogFigures> answer,
      Map<Integer, Set<Long>> asked,
      Map<Integer, Integer> from) {}

  private static Stream<Long> seeds() {
    return LongStream.range(0, 200).boxed();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void each_figure_is_unknown_or_was_true_a_moment_ago(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    log.isPrompt = false;
    List<Pending> pending = new ArrayList<>();
    // By partition, the time from which each state holds.
    Map<Integer, List<Long>> times = new HashMap<>();
    for (int step = 0; step < STEPS; step++) {
      note(times);
      int partition = random.nextInt(PARTITIONS);
      switch (random.nextInt(8)) {
        case 0, 1 -> pending.add(ask(random, times));
        case 2 -> log.later.pass(random.nextLong(500));
        case 3, 4 -> {
          if (!log.requests.isEmpty()) {
            LookedLog.Request request = log.requests.get(random.nextInt(log.requests.size()));
            if (random.nextInt(6) == 0) {
              log.lose(request);
            } else {
              log.answer(request);
            }
          }
        }
        case 5 -> {
          log.leads(partition, LookedLog.NODES.get(random.nextInt(3)), log.now(partition).last());
          log.told.put(partition, LookedLog.NODES.get(random.nextInt(3)));
        }
        default -> log.append(partition, random.nextLong(2_000));
      }
      note(times);
      for (Pending one : List.copyOf(pending)) {
        if (one.answer().isDone()) {
          pending.remove(one);
          require(one, "seed " + seed);
        }
      }
    }
    log.later.pass(LookedFigures.WAIT_MS_MAX);
    assertThat(pending).as("seed " + seed).allMatch(one -> one.answer().isDone());
  }

  private void note(Map<Integer, List<Long>> times) {
    log.states.forEach(
        (partition, states) -> {
          List<Long> known = times.computeIfAbsent(partition, id -> new ArrayList<>());
          while (known.size() < states.size()) {
            known.add(log.later.nowMs());
          }
        });
  }

  private Pending ask(SplittableRandom random, Map<Integer, List<Long>> times) {
    Map<Integer, Set<Long>> asked = new HashMap<>();
    Map<Integer, Integer> from = new HashMap<>();
    long oldest = log.later.nowMs() - LookedFigures.AGE_MS_MAX;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      if (random.nextBoolean()) {
        asked.put(partition, new TreeSet<>(Set.of(random.nextLong(20))));
        // The last state that began before the oldest answer that may serve.
        int first = 0;
        while (first + 1 < times.get(partition).size()
            && times.get(partition).get(first + 1) <= oldest) {
          first++;
        }
        from.put(partition, first);
      }
    }
    return new Pending(figures.about(asked), asked, from);
  }

  private void require(Pending one, String seed) throws IOException {
    LogFigures told = one.answer().join();
    for (Map.Entry<Integer, Set<Long>> asked : one.asked().entrySet()) {
      int partition = asked.getKey();
      long position = asked.getValue().iterator().next();
      if (partition % 3 == 0 || told.committed(partition) == LogFigures.UNKNOWN) {
        continue;
      }
      Lag lag =
          new Lag(
              told.bytesAfter(partition, position), told.commitMicrosAfter(partition, position));
      List<LookedLog.State> states =
          log.states.get(partition).stream().skip(one.from().get(partition)).toList();
      assertThat(states).as(seed).anyMatch(state -> state.last() == told.committed(partition));
      assertThat(states).as(seed).anyMatch(state -> state.lag(position).equals(lag));
    }
  }
}
