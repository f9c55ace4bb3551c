package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.changes.LogBounds.Look;
import io.tunnel.server.changes.LogBounds.Moment;
import io.tunnel.server.changes.SharedLogBounds;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookRequest.Where;
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
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds by looks, against the states that the log had between question and answer. */
final class LookedBoundsTest {

  private static final int PARTITIONS = 5;
  private static final int SEEDS = 300;
  private static final int STEPS = 150;

  /**
   * A question under way.
   *
   * @param from by partition, the index of its state at the question
   * @param expected the answer in a state
   */
  private record Pending(
      CompletableFuture<? extends Map<Integer, ?>> answer,
      Map<Integer, Integer> from,
      Map<Integer, Function<LookedLog.State, Object>> expected) {}

  private static Stream<Long> seeds() {
    return Stream.iterate(46L, seed -> seed + 1).limit(SEEDS);
  }

  private static Object boundsIn(int partition, LookedLog.State state) {
    Found found = state.found(new Where(partition, List.of(), Optional.empty()));
    return new Bounds(found.first(), found.last(), found.incarnation());
  }

  private static Set<Integer> some(SplittableRandom random) {
    Set<Integer> some = new TreeSet<>();
    for (int i = 0; i < PARTITIONS; i++) {
      if (random.nextBoolean()) {
        some.add(i);
      }
    }
    return some;
  }

  private static void ask(LookedLog log, SplittableRandom random, List<Pending> pending) {
    Set<Integer> some = some(random);
    Map<Integer, Integer> from = new HashMap<>();
    Map<Integer, Function<LookedLog.State, Object>> expected = new HashMap<>();
    some.forEach(id -> from.put(id, log.states.get(id).size() - 1));
    switch (random.nextInt(4)) {
      case 0 -> {
        some.forEach(id -> expected.put(id, state -> boundsIn(id, state)));
        pending.add(new Pending(log.bounds.bounds(some), from, expected));
      }
      case 1 -> {
        long micros = random.nextLong(120);
        some.forEach(id -> expected.put(id, state -> firstSince(state, micros)));
        pending.add(new Pending(log.bounds.firstSince(some, micros), from, expected));
      }
      case 2 -> {
        Map<Integer, KnownPosition> known = new HashMap<>();
        for (int id : some) {
          KnownPosition one =
              new KnownPosition(
                  random.nextLong(log.now(id).last() + 3),
                  1 + random.nextLong(log.now(id).incarnation() + 1));
          known.put(id, one);
          expected.put(id, state -> shared(id, state, one));
        }
        pending.add(new Pending(log.bounds.shared(known), from, expected));
      }
      default ->
          log.bounds
              .boundsOfEach(some)
              .forEach(
                  (id, answer) ->
                      pending.add(
                          new Pending(
                              answer.thenApply(bounds -> Map.of(id, bounds)),
                              Map.of(id, from.get(id)),
                              Map.of(id, state -> boundsIn(id, state)))));
    }
  }

  /** Written another way than the model's own. */
  private static Object firstSince(LookedLog.State state, long micros) {
    long before = state.micros().stream().filter(each -> each < micros).count();
    return before == state.last() ? Long.MAX_VALUE : before + 1;
  }

  private static Object shared(int partition, LookedLog.State state, KnownPosition known) {
    return state.found(new Where(partition, List.of(), Optional.of(known))).shared().orElseThrow();
  }

  private static void change(LookedLog log, SplittableRandom random) {
    int partition = random.nextInt(PARTITIONS);
    long last = log.now(partition).last();
    switch (random.nextInt(8)) {
      case 0 -> {
        log.leads(partition, LookedLog.NODES.get(random.nextInt(3)), last);
        log.told.put(partition, log.now(partition).leader().orElseThrow());
      }
      case 1 ->
          log.leads(partition, LookedLog.NODES.get(random.nextInt(3)), random.nextLong(last + 1));
      case 2 -> log.falls(partition);
      case 3 -> log.told.put(partition, LookedLog.NODES.get(random.nextInt(3)));
      case 4 -> log.told.remove(partition);
      case 5 -> log.trim(partition, Math.min(last + 1, log.now(partition).first() + 1));
      default -> log.append(partition, random.nextLong(100));
    }
  }

  private static void settle(LookedLog log, List<Pending> pending, String seed) {
    for (Pending one : List.copyOf(pending)) {
      if (!one.answer().isDone()) {
        continue;
      }
      pending.remove(one);
      if (one.answer().isCompletedExceptionally()) {
        Throwable failure = one.answer().handle((answer, why) -> why).join();
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        assertThat(cause).as(seed).isInstanceOf(IOException.class);
        assertThat(one.from().keySet())
            .as(seed + ": " + cause.getMessage())
            .anyMatch(id -> cause.getMessage().startsWith("cannot look at partition " + id + ":"));
        continue;
      }
      Map<Integer, ?> answer = one.answer().join();
      assertThat(answer.keySet()).as(seed).isEqualTo(one.from().keySet());
      answer.forEach(
          (id, found) ->
              assertThat(
                      log.states.get(id).stream()
                          .skip(one.from().get(id))
                          .filter(state -> state.leader().isPresent())
                          .map(one.expected().get(id)))
                  .as("%s, partition %d", seed, id)
                  .contains(found));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void each_answer_is_of_a_state_between_question_and_answer(long seed) {
    String name = "seed " + seed;
    SplittableRandom random = new SplittableRandom(seed);
    LookedLog log = new LookedLog(PARTITIONS);
    List<Pending> pending = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(8)) {
        case 0, 1 -> ask(log, random, pending);
        case 2 -> log.later.pass(random.nextLong(LeaderLooks.RETRY_MS * 3));
        case 3, 4, 5 -> {
          if (!log.requests.isEmpty()) {
            LookedLog.Request request = log.requests.get(random.nextInt(log.requests.size()));
            if (random.nextInt(6) == 0) {
              log.lose(request);
            } else {
              log.answer(request);
            }
          }
        }
        default -> change(log, random);
      }
      settle(log, pending, name);
    }
    log.later.pass(LeaderLooks.WAIT_MS_MAX);
    settle(log, pending, name);
    assertThat(pending).as("%s: questions without an answer after the deadline", name).isEmpty();
    for (int id = 0; id < PARTITIONS; id++) {
      log.leads(id, LookedLog.NODES.get(id % 3), log.now(id).last());
      log.told.put(id, LookedLog.NODES.get(id % 3));
    }
    log.isPrompt = true;
    CompletableFuture<Map<Integer, Bounds>> calm = log.bounds.bounds(List.of(4, 0, 1, 2, 3, 0));
    assertThat(calm).as(name).isCompleted();
    for (int id = 0; id < PARTITIONS; id++) {
      assertThat(calm.join().get(id)).as(name).isEqualTo(boundsIn(id, log.now(id)));
    }
  }

  /** The look of a tunnel over logs of appends, as {@code SharedLogBoundsTest} has it for Kafka. */
  private static final class Tunnels implements LogBounds.Looked {
    private final LookedLog log = new LookedLog(3);
    private final FakeSurroundings surroundings = new FakeSurroundings();
    private final KnownBounds known = new KnownBounds();
    private final SharedLogBounds bounds =
        new SharedLogBounds(log.bounds, known, surroundings::control);
    private final List<Map<Integer, Look>> looks = new ArrayList<>();
    private final List<Exception> failures = new ArrayList<>();

    Tunnels() {
      log.isPrompt = true;
      for (int i = 0; i < 20; i++) {
        log.append(1, 1_000L * i);
      }
    }

    @Override
    public void found(Map<Integer, Look> lookByPartition) {
      looks.add(lookByPartition);
    }

    @Override
    public void failed(Exception reason) {
      failures.add(reason);
    }

    private Look look(Set<Long> moments, Map<Integer, KnownPosition> seen) {
      bounds.look(List.of(1), moments, seen, this);
      surroundings.runControl();
      assertThat(failures).isEmpty();
      return looks.get(looks.size() - 1).get(1);
    }
  }

  @Test
  void a_tunnel_finds_ends_and_moments() {
    Tunnels at = new Tunnels();
    Look look = at.look(Set.of(0L, 4_500L, 30_000L), Map.of());
    assertThat(look.bounds()).isEqualTo(new Bounds(1, 20, Optional.of(1L)));
    assertThat(look.moment(0)).isEqualTo(new Moment(0, true));
    assertThat(look.moment(4_500)).isEqualTo(new Moment(5, true));
    assertThat(look.moment(30_000).before()).isEqualTo(20);
    assertThat(at.bounds.known(1)).isEqualTo(20);
  }

  @Test
  void a_tunnel_finds_what_is_left_of_what_its_reader_knows() {
    Tunnels at = new Tunnels();
    at.log.leads(1, "n3", 10);
    at.log.told.put(1, "n3");
    at.log.append(1, 50_000);
    assertThat(at.look(Set.of(), Map.of(1, new KnownPosition(15, 1))).shared()).contains(10L);
    assertThat(at.look(Set.of(), Map.of(1, new KnownPosition(9, 1))).shared()).contains(9L);
    assertThat(at.look(Set.of(), Map.of(1, new KnownPosition(11, 2))).shared()).contains(11L);
    assertThat(at.look(Set.of(), Map.of(1, new KnownPosition(15, 2))).shared()).contains(11L);
  }

  @Test
  void a_moment_that_was_found_under_a_former_leader_is_looked_for_again() {
    Tunnels at = new Tunnels();
    at.log.isPrompt = false;
    at.bounds.look(List.of(1), Set.of(17_500L), at);
    at.log.answer(at.log.requests.get(0));
    at.log.answer(at.log.requests.get(0));
    at.log.leads(1, "n2", 10);
    at.log.append(1, 60_000);
    at.log.isPrompt = true;
    at.log.answer(at.log.requests.get(0));
    at.surroundings.runControl();
    assertThat(at.failures).isEmpty();
    Look look = at.looks.get(0).get(1);
    assertThat(look.moment(17_500).before()).isEqualTo(10);
    assertThat(look.bounds().incarnation()).contains(2L);
  }

  @Test
  void a_log_that_cannot_be_asked_is_a_retriable_refusal_of_one_partition() {
    Tunnels at = new Tunnels();
    at.log.isUnavailable = true;
    at.bounds.look(List.of(0), Set.of(), at);
    at.surroundings.runControl();
    assertThat(at.failures)
        .extracting(reason -> ((RefusedException) reason).code())
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
    at.log.isUnavailable = false;
    at.log.told.remove(2);
    List<Set<Integer>> fresh = new ArrayList<>();
    List<Integer> failed = new ArrayList<>();
    LogBounds.Refreshed refreshed =
        new LogBounds.Refreshed() {
          @Override
          public void fresh(Set<Integer> partitions) {
            fresh.add(partitions);
          }

          @Override
          public void failed(int partition, Exception reason) {
            failed.add(partition);
          }
        };
    at.bounds.refresh(Set.of(0, 1, 2), refreshed);
    at.surroundings.runControl();
    assertThat(fresh).containsExactly(Set.of(0, 1));
    assertThat(failed).isEmpty();
    at.log.later.pass(LeaderLooks.WAIT_MS_MAX);
    at.surroundings.runControl();
    assertThat(failed).containsExactly(2);
  }
}
