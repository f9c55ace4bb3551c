package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LastWordCoreTest {

  private final LastWordCore word = new LastWordCore();

  @Test
  void without_a_word_it_is_older_than_anything() {
    assertThat(word.isOlder(Long.MAX_VALUE, 1)).isTrue();
    word.sawEnd(5, 100, 4);
    assertThat(word.isOlder(1_000, 100)).as("not read to yet").isTrue();
  }

  @Test
  void it_is_as_old_as_the_question_whose_answer_was_read_to() {
    word.sawEnd(5, 100, 5);
    assertThat(word.isOlder(50, 150)).isFalse();
    assertThat(word.isOlder(50, 151)).isTrue();
    word.sawEnd(9, 200, 5);
    assertThat(word.isOlder(50, 201)).as("five are missing").isTrue();
    word.read(8);
    assertThat(word.isOlder(50, 201)).isTrue();
    word.read(9);
    assertThat(word.isOlder(50, 250)).isFalse();
    assertThat(word.isOlder(50, 251)).isTrue();
  }

  @Test
  void a_copy_that_is_always_a_little_behind_has_a_word_all_the_same() {
    for (long i = 1; i <= 100; i++) {
      word.sawEnd(10 * i, 100 * i, 10 * i - 5);
      word.read(10 * i + 4);
      assertThat(word.isOlder(200, 100 * i + 50)).as("at %d", i).isFalse();
    }
  }

  @Test
  void an_answer_that_comes_late_makes_it_no_older_and_clocks_may_be_below_zero() {
    word.sawEnd(5, -100, 5);
    word.sawEnd(5, -200, 5);
    assertThat(word.isOlder(50, -60)).isFalse();
    assertThat(word.isOlder(50, -49)).isTrue();
  }
}
