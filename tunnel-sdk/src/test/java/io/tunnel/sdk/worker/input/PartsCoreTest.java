package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.worker.input.Inputs.Unit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An input with some failing records. */
class PartsCoreTest {

  private static final int ATTEMPTS = 3;

  /** A policy with retries before a skip skips exactly the bad records, in order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 1_000})
  void exactly_the_bad_records_are_left_out_and_all_others_processed_in_order(int size) {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Set<Integer> bad = new TreeSet<>();
      for (int i = random.nextInt(Math.min(size, 5) + 1); i > 0; i--) {
        bad.add(random.nextInt(size));
      }
      boolean isNamed = random.nextBoolean();
      PartsCore core = new PartsCore(size);
      Set<Integer> skipped = new TreeSet<>();
      List<Integer> processed = new ArrayList<>();
      int[] failedAlone = new int[size];
      int calls = 0;
      while (!core.isDone()) {
        calls++;
        int from = core.from();
        int to = core.to();
        OptionalInt first =
            bad.stream().mapToInt(i -> i).filter(i -> i >= from && i < to).findFirst();
        if (first.isEmpty()) {
          for (int i = from; i < to; i++) {
            processed.add(i);
          }
          assertThat(core.done()).isEqualTo(!core.isDone());
          continue;
        }
        core.failed(calls);
        if (to - from == 1) {
          failedAlone[from]++;
        }
        if (core.failures() >= ATTEMPTS) {
          core.skip(isNamed ? first : OptionalInt.empty())
              .ifPresent(unit -> skipped.add(unit.from()));
        }
      }
      assertThat(skipped).as("seed " + seed).isEqualTo(bad);
      assertThat(processed).as("in order, each once").hasSize(size - bad.size()).isSorted();
      if (!isNamed) {
        bad.forEach(i -> assertThat(failedAlone[i]).isGreaterThanOrEqualTo(ATTEMPTS));
      }
      int steps = 2 * (32 - Integer.numberOfLeadingZeros(size)) + 2 * ATTEMPTS + 2;
      assertThat(calls).isLessThanOrEqualTo(1 + (bad.size() + 1) * (steps + ATTEMPTS * 10));
    }
  }

  /** Units of several records are processed whole, and skipped whole when a record is bad. */
  @Test
  void no_part_begins_or_ends_inside_of_a_unit() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<Unit> units = new ArrayList<>();
      List<Unit> unitOf = new ArrayList<>();
      while (units.size() < 1 + seed % 20) {
        Unit unit = new Unit(unitOf.size(), unitOf.size() + 1 + random.nextInt(4));
        units.add(unit);
        unitOf.addAll(Collections.nCopies(unit.end() - unit.from(), unit));
      }
      Set<Integer> bad = new TreeSet<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        bad.add(random.nextInt(unitOf.size()));
      }
      PartsCore core = new PartsCore(List.of(unitOf.size()), unitOf::get);
      boolean isNamed = random.nextBoolean();
      List<Unit> processed = new ArrayList<>();
      List<Unit> skipped = new ArrayList<>();
      for (int call = 0; !core.isDone(); call++) {
        int from = core.from();
        int to = core.to();
        assertThat(unitOf.get(from).from()).as("seed " + seed).isEqualTo(from);
        assertThat(unitOf.get(to - 1).end()).as("seed " + seed).isEqualTo(to);
        OptionalInt first =
            bad.stream().mapToInt(i -> i).filter(i -> i >= from && i < to).findFirst();
        if (first.isEmpty()) {
          units.stream()
              .filter(unit -> unit.from() >= from && unit.end() <= to)
              .forEach(processed::add);
          var unused = core.done();
          continue;
        }
        core.failed(call);
        if (core.failures() >= ATTEMPTS) {
          core.skip(isNamed ? first : OptionalInt.empty()).ifPresent(skipped::add);
        }
      }
      List<Unit> failing = units.stream().filter(unit -> hasAny(unit, bad)).toList();
      assertThat(skipped).as("seed " + seed).isEqualTo(failing);
      List<Unit> others = new ArrayList<>(units);
      others.removeAll(failing);
      assertThat(processed).as("seed " + seed).isEqualTo(others);
    }
  }

  private static boolean hasAny(Unit unit, Set<Integer> records) {
    return records.stream().anyMatch(i -> i >= unit.from() && i < unit.end());
  }

  @Test
  void one_bad_record_of_many_is_found_without_retries_at_every_step() {
    PartsCore core = new PartsCore(1 << 10);
    for (int i = 0; i < ATTEMPTS; i++) {
      core.failed(5);
    }
    assertThat(core.skip(OptionalInt.empty())).isEmpty();
    assertThat(core.to()).isEqualTo(1 << 9);
    assertThat(core.failures()).isEqualTo(ATTEMPTS);
    assertThat(core.failingForNanos(8)).isEqualTo(3);
    assertThat(core.done()).isTrue();
    assertThat(core.failures()).as("the bad one must be in the second half").isEqualTo(ATTEMPTS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64, 5_408})
  void the_first_bad_record_of_what_is_given_up_is_found_with_few_calls(int size) {
    for (int bad = 0; bad < size; bad += 1 + size / 50) {
      PartsCore core = new PartsCore(size);
      core.failed(5);
      core.failed(6);
      int calls = 0;
      boolean isLookedFor = core.narrow();
      while (isLookedFor) {
        calls++;
        assertThat(core.failures()).as("the retries are over").isGreaterThanOrEqualTo(2);
        if (bad >= core.from() && bad < core.to()) {
          core.failed(7);
          isLookedFor = core.narrow();
        } else {
          core.done();
        }
      }
      assertThat(core.from()).as("bad record " + bad).isEqualTo(bad);
      assertThat(core.to()).isEqualTo(bad + 1);
      assertThat(calls).isLessThanOrEqualTo(2 * (32 - Integer.numberOfLeadingZeros(size)));
    }
  }

  @Test
  void a_record_that_only_shared_a_call_with_a_failure_is_not_blamed() {
    PartsCore core = new PartsCore(4);
    core.failed(1);
    assertThat(core.skip(OptionalInt.empty())).isEmpty();
    core.failed(2);
    assertThat(core.skip(OptionalInt.empty())).isEmpty();
    assertThat(core.to()).isEqualTo(1);
    assertThat(core.failures()).as("alone it begins anew").isZero();
    core.failed(3);
    assertThat(core.failures()).isEqualTo(1);
    assertThat(core.skip(OptionalInt.empty())).contains(new Unit(0, 1));
    assertThat(core.done()).isTrue();
    assertThat(core.from()).isEqualTo(2);
    assertThat(core.failures()).as("the first half had failed").isZero();
    assertThat(core.done()).isFalse();
    assertThat(core.isDone()).isTrue();
  }

  @Test
  void a_name_outside_of_the_part_is_no_name() {
    PartsCore core = new PartsCore(4);
    core.failed(1);
    assertThat(core.skip(OptionalInt.of(7))).isEmpty();
    assertThat(core.to()).isEqualTo(2);
  }

  /** Failures of a part do not count against the next part. */
  @Test
  void an_input_that_is_given_in_parts_narrows_each_of_them_alone() {
    PartsCore core = new PartsCore(List.of(4, 8, 9));
    core.failed(1);
    assertThat(core.skip(OptionalInt.empty())).as("halved").isEmpty();
    assertThat(List.of(core.from(), core.to(), core.failures())).containsExactly(0, 2, 1);
    assertThat(core.done()).isTrue();
    assertThat(core.done()).isTrue();
    assertThat(List.of(core.from(), core.to(), core.failures())).containsExactly(4, 8, 0);
    assertThat(core.done()).isTrue();
    assertThat(List.of(core.from(), core.to())).containsExactly(8, 9);
    assertThat(core.done()).isFalse();
  }
}
