package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeftTopicsTest {

  private final List<Integer> dropped = new ArrayList<>();
  private CompletableFuture<Set<Integer>> found = new CompletableFuture<>();
  private final LeftTopics left =
      new LeftTopics(() -> found, id -> id <= 1_000 && id != 5, this::drop, Runnable::run);

  private CompletableFuture<Void> drop(int table) {
    dropped.add(table);
    return CompletableFuture.failedFuture(new IOException("not now"));
  }

  @Test
  void what_is_left_of_dropped_tables_goes_and_nothing_else() {
    left.delete();
    assertThat(dropped).isEmpty();
    found.complete(Set.of(1, 5, 9, 1_001));
    assertThat(dropped).containsExactly(1, 9);
  }

  @Test
  void a_log_that_does_not_answer_is_asked_another_time() {
    found.completeExceptionally(new IOException("not now"));
    left.delete();
    found = CompletableFuture.completedFuture(Set.of(7));
    left.delete();
    assertThat(dropped).containsExactly(7);
  }

  @Test
  void no_more_than_the_limit_go_at_once() {
    found.complete(
        IntStream.rangeClosed(10, 10 + LeftTopics.DELETIONS_MAX)
            .boxed()
            .collect(Collectors.toSet()));
    left.delete();
    assertThat(dropped).hasSize(LeftTopics.DELETIONS_MAX).doesNotContain(110);
  }
}
