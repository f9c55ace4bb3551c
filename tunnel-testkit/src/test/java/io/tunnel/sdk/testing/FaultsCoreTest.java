package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.testing.FaultsCore.Answer;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsCoreTest {

  private static final Map<ClientRequest, Operation> REQUESTS =
      Map.of(
          ClientRequest.WRITE, Operation.WRITE,
          ClientRequest.GET_ROW, Operation.GET_ROW,
          ClientRequest.CHECKPOINT, Operation.CHECKPOINT_SKIPPING);

  private final FaultsCore<Integer> core = new FaultsCore<>();

  private static <T> T any(List<T> all, SplittableRandom chance) {
    return all.get(chance.nextInt(all.size()));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void each_refusal_meets_one_request_of_its_kind_in_the_order_of_the_test(long seed) {
    SplittableRandom chance = new SplittableRandom(seed);
    Map<ClientRequest, List<ErrorCode>> ordered =
        Map.of(
            ClientRequest.WRITE, new ArrayList<>(),
            ClientRequest.GET_ROW, new ArrayList<>(),
            ClientRequest.CHECKPOINT, new ArrayList<>());
    List<ClientRequest> kinds = ordered.keySet().stream().sorted().toList();
    for (int i = 0; i < 2_000; i++) {
      ClientRequest kind = any(kinds, chance);
      List<ErrorCode> left = ordered.get(kind);
      if (chance.nextBoolean()) {
        ErrorCode code = any(List.of(ErrorCode.values()), chance);
        core.refuse(kind, code);
        left.add(code);
      } else {
        Optional<ErrorCode> expected =
            left.isEmpty() ? Optional.empty() : Optional.of(left.remove(0));
        assertThat(core.refusal(REQUESTS.get(kind))).isEqualTo(expected);
      }
      assertThat(core.refusal(Operation.ECHO)).as("a kind without refusals").isEmpty();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void a_delayed_request_is_due_once_at_its_time_and_in_order(long seed) {
    SplittableRandom chance = new SplittableRandom(seed);
    long now = 0;
    Duration delay = Duration.ZERO;
    List<Long> dueMicros = new ArrayList<>();
    List<Integer> came = new ArrayList<>();
    int sent = 0;
    for (int i = 0; i < 2_000; i++) {
      switch (chance.nextInt(4)) {
        case 0 -> {
          delay = Duration.ofNanos(1_000L * chance.nextInt(50));
          core.delay(ClientRequest.WRITE, delay);
        }
        case 1, 2 -> {
          boolean waits = core.arrives(Operation.WRITE, sent, now);
          assertThat(waits).isEqualTo(!delay.isZero());
          if (waits) {
            dueMicros.add(now + delay.toNanos() / 1_000);
            sent++;
          }
          assertThat(core.arrives(Operation.GET_ROW, -1, now)).isFalse();
        }
        default -> {
          now += chance.nextInt(30);
          long last = Long.MIN_VALUE;
          for (var due = core.due(now); due.isPresent(); due = core.due(now)) {
            assertThat(due.get().micros())
                .isEqualTo(dueMicros.get(due.get().request()))
                .isBetween(last, now);
            last = due.get().micros();
            came.add(due.get().request());
          }
          long end = now;
          assertThat(core.waiting())
              .isEqualTo((int) dueMicros.stream().filter(at -> at > end).count());
        }
      }
    }
    core.due(Long.MAX_VALUE).ifPresent(due -> came.add(due.request()));
    int waited = core.waiting();
    core.crashed();
    assertThat(core.due(Long.MAX_VALUE)).isEmpty();
    assertThat(came).doesNotHaveDuplicates().hasSize(sent - waited);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void as_many_answers_are_doubted_and_lost_as_were_ordered(long seed) {
    SplittableRandom chance = new SplittableRandom(seed);
    int doubted = 0;
    int lost = 0;
    for (int i = 0; i < 2_000; i++) {
      int writes = chance.nextInt(3);
      switch (chance.nextInt(6)) {
        case 0 -> {
          core.doubt(writes);
          doubted += writes;
        }
        case 1 -> {
          core.loseAnswers(writes);
          lost += writes;
        }
        default -> {
          Answer expected = doubted > 0 ? Answer.DOUBTED : lost > 0 ? Answer.LOST : Answer.GIVEN;
          doubted -= expected == Answer.DOUBTED ? 1 : 0;
          lost -= expected == Answer.LOST ? 1 : 0;
          assertThat(core.answer()).isEqualTo(expected);
        }
      }
    }
  }
}
