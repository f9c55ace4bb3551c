package io.tunnel.server.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ForwardCoreTest {

  private final ForwardCore core = new ForwardCore();

  private static void requireBusy(ThrowingCallable what, String words) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining(words);
  }

  @Test
  void a_principal_has_16_open_requests_and_all_have_64() {
    List<ForwardCore.Open> open = new ArrayList<>();
    for (String principal : List.of("a", "b", "c", "d")) {
      for (int i = 0; i < 16; i++) {
        open.add(core.begin(principal, 0, false, 0));
      }
      if (!principal.equals("d")) {
        requireBusy(() -> core.begin(principal, 0, false, 0), "16 requests of '" + principal + "'");
      }
    }
    requireBusy(() -> core.begin("e", 0, false, 0), "64 requests");
    assertThat(core.end(open.get(0))).isTrue();
    assertThat(core.end(open.get(0))).as("ends once").isFalse();
    assertThat(core.open()).isEqualTo(63);
    assertThat(core.begin("a", 0, false, 7).sinceNanos()).isEqualTo(7);
    requireBusy(() -> core.begin("e", 0, false, 0), "64 requests");
  }

  @Test
  void without_authentication_only_the_limit_of_all_counts() {
    for (int i = 0; i < ForwardCore.OPEN_MAX; i++) {
      core.begin("", 0, false, 0);
    }
    requireBusy(() -> core.begin("", 0, false, 0), "64 requests");
  }

  @Test
  void readings_leave_half_of_the_places_to_other_requests() {
    for (int i = 0; i < 8; i++) {
      core.begin("a", 0, true, 0);
    }
    requireBusy(() -> core.begin("a", 0, true, 0), "8 requests of 'a'");
    for (int i = 0; i < 8; i++) {
      core.begin("a", 0, false, 0);
    }
    for (int i = 0; i < 16; i++) {
      core.begin("", 0, true, 0);
    }
    requireBusy(() -> core.begin("", 0, true, 0), "32 requests");
    core.begin("b", 0, false, 0);
  }

  @Test
  void payloads_and_arriving_answers_share_16_mib() {
    int half = (int) (ForwardCore.BYTES_MAX / 2);
    ForwardCore.Open first = core.begin("a", half, false, 0);
    assertThat(core.hold(0, half)).isTrue();
    requireBusy(() -> core.begin("a", 1, false, 0), "16777216 bytes");
    assertThat(core.hold(half, half + 1)).isFalse();
    assertThat(core.hold(half + 1, 0)).isTrue();
    core.begin("a", half, false, 0);
    core.end(first);
    assertThat(core.bytes()).isEqualTo(half);
  }

  @Test
  void a_request_follows_three_leaders_and_no_node_that_names_itself_or_nobody() {
    ForwardCore.Open one = core.begin("a", 0, false, 0);
    assertThat(core.next(one, "n1:1", Optional.empty())).isEmpty();
    assertThat(core.next(one, "n1:1", Optional.of("n1:1"))).isEmpty();
    assertThat(core.next(one, "n1:1", Optional.of("n2:1"))).contains("n2:1");
    assertThat(core.next(one, "n2:1", Optional.of("n1:1"))).contains("n1:1");
    assertThat(core.next(one, "n1:1", Optional.of("n3:1"))).contains("n3:1");
    assertThat(core.next(one, "n3:1", Optional.of("n4:1"))).isEmpty();
  }

  /** Compares the counts of the core with counts that are made anew after each step. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void its_counts_are_those_of_the_open_requests(long seed) {
    Random random = new Random(seed);
    IdentityHashMap<ForwardCore.Open, Integer> bytesByOpen = new IdentityHashMap<>();
    IdentityHashMap<ForwardCore.Open, String> principals = new IdentityHashMap<>();
    List<ForwardCore.Open> all = new ArrayList<>();
    int[] answers = new int[8];
    for (int step = 0; step < 5_000; step++) {
      long payloads = bytesByOpen.values().stream().mapToLong(bytes -> bytes).sum();
      long arriving = Arrays.stream(answers).asLongStream().sum();
      switch (random.nextInt(3)) {
        case 0 -> {
          String principal = "p" + random.nextInt(6);
          int bytes = random.nextInt(600_000);
          boolean fits =
              bytesByOpen.size() < 64
                  && principals.values().stream().filter(principal::equals).count() < 16
                  && payloads + arriving + bytes <= 16 << 20;
          try {
            ForwardCore.Open one = core.begin(principal, bytes, false, 0);
            assertThat(fits).isTrue();
            all.add(one);
            bytesByOpen.put(one, bytes);
            principals.put(one, principal);
          } catch (RefusedException e) {
            assertThat(fits).isFalse();
          }
        }
        case 1 -> {
          if (!all.isEmpty() && random.nextInt(4) != 0) {
            ForwardCore.Open one = all.remove(random.nextInt(all.size()));
            core.end(one);
            bytesByOpen.remove(one);
            principals.remove(one);
          }
        }
        default -> {
          int link = random.nextInt(answers.length);
          int before = answers[link];
          int now = random.nextInt(3) == 0 ? 0 : random.nextInt(4 << 20);
          boolean fits = core.hold(before, now);
          assertThat(fits)
              .isEqualTo(now <= before || payloads + arriving - before + now <= 16 << 20);
          answers[link] = now;
          if (!fits) {
            assertThat(core.hold(now, 0)).isTrue();
            answers[link] = 0;
          }
        }
      }
      assertThat(core.open()).isEqualTo(bytesByOpen.size());
      assertThat(core.bytes())
          .isEqualTo(
              bytesByOpen.values().stream().mapToLong(bytes -> bytes).sum()
                  + Arrays.stream(answers).asLongStream().sum())
          .isLessThanOrEqualTo(ForwardCore.BYTES_MAX);
    }
  }
}
