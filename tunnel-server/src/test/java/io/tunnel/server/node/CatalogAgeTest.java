package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a node that hears nothing of the catalog decides by it no more. */
final class CatalogAgeTest {

  private static final long MAX_MS = 6_000;

  private final Queue<Runnable> asked = new ArrayDeque<>();
  private long nanos = 5;
  private final CatalogAge age = new CatalogAge(asked::add, () -> nanos, MAX_MS);

  private void pass(long ms) {
    nanos += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private void requireTooOld() {
    assertThatThrownBy(age::require)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE));
  }

  @Test
  void a_node_that_is_cut_off_decides_for_a_session_and_not_longer() {
    age.look();
    pass(MAX_MS - 1);
    age.look();
    assertThatCode(age::require).doesNotThrowAnyException();
    pass(1);
    requireTooOld();
    assertThat(asked).as("a cut piles nothing up").hasSize(1);
  }

  @Test
  void what_was_read_counts_from_when_it_was_asked_for() {
    age.look();
    pass(4_000);
    asked.remove().run();
    pass(1_999);
    assertThatCode(age::require).doesNotThrowAnyException();
    pass(1);
    requireTooOld();
    age.look();
    requireTooOld();
    asked.remove().run();
    assertThatCode(age::require).as("the log is back").doesNotThrowAnyException();
  }

  @Test
  void a_node_that_hears_of_the_catalog_is_never_refused() {
    for (int i = 0; i < 100; i++) {
      age.look();
      pass(250);
      asked.remove().run();
      assertThatCode(age::require).doesNotThrowAnyException();
    }
  }
}
