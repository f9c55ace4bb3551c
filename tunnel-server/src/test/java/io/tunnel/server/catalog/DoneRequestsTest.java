package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class DoneRequestsTest {

  private final DoneRequests done = new DoneRequests("request/");

  private static Asked asked(int id) {
    return new Asked(Optional.of("id" + id), "CREATE_TABLE t" + id);
  }

  private Map<String, Optional<String>> note(Asked asked, String result) {
    Map<String, Optional<String>> changes = done.noting(asked, result);
    done.apply(changes);
    return changes;
  }

  @Test
  void what_was_done_is_known_also_to_who_reads_it_later() {
    var unused = note(asked(1), "17");
    Map<String, String> texts = new TreeMap<>(Map.of("table/1", "{}"));
    note(asked(2), "18").forEach((name, text) -> texts.put(name, text.orElseThrow()));
    assertThat(done.result(asked(1))).contains("17");
    assertThat(done.result(asked(3))).isEmpty();
    assertThat(done.result(Asked.NAMELESS)).isEmpty();
    assertThat(done.noting(Asked.NAMELESS, "19")).isEmpty();
    DoneRequests read = new DoneRequests("request/");
    read.replace(texts);
    assertThat(read.result(asked(2))).contains("18");
    assertThat(read.result(asked(1))).as("it is not among the texts").isEmpty();
  }

  @Test
  void an_id_is_of_one_request_alone() {
    var unused = note(asked(1), "17");
    assertThatThrownBy(() -> done.result(new Asked(Optional.of("id1"), "DROP_TABLE t1")))
        .hasMessageContaining("'DROP_TABLE t1' has the request id of 'CREATE_TABLE t1'");
  }

  @Test
  void the_oldest_are_forgotten_in_the_write_that_adds_one_too_many() {
    for (int i = 1; i <= DoneRequests.REQUESTS_MAX; i++) {
      assertThat(note(asked(i), "")).hasSize(1);
    }
    assertThat(done.result(asked(1))).as("at the limit").isPresent();
    assertThat(note(asked(0), "")).hasSize(2).containsEntry("request/id1", Optional.empty());
    assertThat(done.result(asked(1))).isEmpty();
    assertThat(done.result(asked(2))).isPresent();
    assertThat(done.result(asked(0))).isPresent();
  }

  @Test
  void what_came_of_them_is_bounded_too() {
    String half = "x".repeat((int) (DoneRequests.RESULT_CHARS_MAX / 2));
    var first = note(asked(1), half);
    var second = note(asked(2), half);
    assertThat(first).hasSize(1);
    assertThat(second).as("at the limit").hasSize(1);
    assertThat(note(asked(3), "y")).hasSize(2);
    assertThat(done.result(asked(1))).isEmpty();
    assertThat(done.result(asked(2))).isPresent();
    assertThat(note(asked(4), half + half + half)).as("the last whatever it takes").hasSize(3);
    assertThat(done.result(asked(4))).isPresent();
  }
}
