package io.tunnel.sdk.worker.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PrefixCoreTest {

  @Test
  void only_what_has_nothing_undone_before_it_counts() {
    PrefixCore core = new PrefixCore(5);
    core.given(10);
    core.given(20);
    core.given(30);
    core.done(20);
    assertThat(core.prefix()).isEqualTo(5);
    core.done(10);
    assertThat(core.prefix()).isEqualTo(20);
    core.done(10); // Again: nothing new.
    core.doneUpTo(25);
    assertThat(core.prefix()).isEqualTo(25);
    core.done(30);
    assertThat(core.prefix()).isEqualTo(30);
    assertThatThrownBy(() -> core.done(31))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no input ends with token 31");
  }

  @Test
  void a_processor_that_marks_single_inputs_is_given_no_more_than_can_be_remembered() {
    PrefixCore core = new PrefixCore(0);
    for (long position = 1; position <= PrefixCore.INPUTS_MAX; position++) {
      assertThat(core.mayBegin()).isTrue();
      core.given(position);
    }
    core.done(2);
    assertThat(core.mayBegin()).isFalse();
    core.done(1);
    assertThat(core.mayBegin()).isTrue();
    assertThat(core.prefix()).isEqualTo(2);
  }

  @Test
  void a_processor_that_does_not_is_never_held_up_and_told_when_it_begins_too_late() {
    PrefixCore core = new PrefixCore(0);
    for (long position = 1; position <= PrefixCore.INPUTS_MAX + 3; position++) {
      assertThat(core.mayBegin()).isTrue();
      core.given(position);
    }
    assertThatThrownBy(() -> core.done(7))
        .hasMessageContaining("checkpoint with a token of 3 or later first");
    core.doneUpTo(3);
    core.done(5);
    core.done(4);
    assertThat(core.prefix()).isEqualTo(5);
  }

  @Test
  void the_prefix_is_what_a_plain_count_says_whatever_the_order() {
    for (long seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      PrefixCore core = new PrefixCore(0);
      TreeMap<Long, Boolean> all = new TreeMap<>();
      List<Long> undone = new ArrayList<>();
      long last = 0;
      long expected = 0;
      for (int step = 0; step < 100; step++) {
        if (undone.isEmpty() || random.nextInt(3) == 0) {
          last += 1 + random.nextInt(5);
          core.given(last);
          all.put(last, false);
          undone.add(last);
        } else if (random.nextInt(10) > 0) {
          long one = undone.remove(random.nextInt(undone.size()));
          core.done(one);
          all.put(one, true);
        } else {
          long upTo = random.nextLong(1, last + 1);
          core.doneUpTo(upTo);
          all.headMap(upTo, true).replaceAll((position, done) -> true);
          undone.removeIf(position -> position <= upTo);
          expected = Math.max(expected, upTo);
        }
        for (var input : all.entrySet()) {
          if (!input.getValue()) {
            break;
          }
          expected = Math.max(expected, input.getKey());
        }
        assertThat(core.prefix()).as("seed %d step %d", seed, step).isEqualTo(expected);
      }
    }
  }
}
