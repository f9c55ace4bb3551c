package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.RuleModel.Bounds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a leader answers is what the log says, in every order of events within some bounds. */
final class RuleModelTest {

  /** The number of states is known, so a model that shrinks unnoticed fails. */
  @ParameterizedTest
  @CsvSource({
    "appends and copies,                2, 0, 2, 1, 0, 0, false, 77425",
    "three appends,                     3, 0, 2, 0, 0, 0, false, 64197",
    "appends without changes,           2, 1, 2, 1, 0, 0, false, 77425",
    "a write that is repeated,          2, 0, 2, 0, 1, 0, false, 11351",
    "a log that loses its end,          2, 0, 2, 0, 0, 1, false, 25423",
    "appends that are given up,         2, 0, 2, 1, 0, 0, true, 156777",
    "a repetition of what is given up,  2, 0, 2, 0, 1, 0, true, 22827",
  })
  void every_answer_is_what_the_log_says(
      String what,
      int appends,
      int empty,
      int markers,
      int copies,
      int repeats,
      int cuts,
      boolean givesUp,
      int states) {
    Bounds bounds = new Bounds(appends, empty, markers, copies, repeats, cuts, givesUp);
    assertThat(new RuleModel(bounds).run()).as(what).isEqualTo(states);
  }
}
