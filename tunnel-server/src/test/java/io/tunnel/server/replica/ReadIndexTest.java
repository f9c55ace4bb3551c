package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadIndexTest {

  private final ReadIndex index = new ReadIndex();
  private final List<String> done = new ArrayList<>();

  private ReadIndex.Read read(String name) {
    return new ReadIndex.Read(() -> done.add(name), refusal -> done.add("not " + name));
  }

  private void take(long next) {
    index.take(next).forEach(Runnable::run);
  }

  @Test
  void a_read_waits_for_an_end_that_was_asked_for_after_it_had_come() {
    assertThat(index.add(read("a"))).isTrue();
    assertThat(index.add(read("b"))).as("a question is under way").isFalse();
    assertThat(index.ended(5, 100)).as("b came behind it").isTrue();
    take(4);
    assertThat(done).isEmpty();
    take(5);
    assertThat(done).as("b's end is not known yet").containsExactly("a");
    assertThat(index.ended(7, 100)).isFalse();
    take(6);
    assertThat(done).containsExactly("a");
    take(7);
    assertThat(done).containsExactly("a", "b");
    assertThat(index.add(read("c"))).as("nothing is under way any more").isTrue();
  }

  @Test
  void what_the_log_does_not_answer_is_refused_and_later_reads_are_asked_for() {
    index.add(read("a"));
    index.add(read("b"));
    assertThat(index.failed(ReadIndex.unconfirmed())).isTrue();
    assertThat(done).containsExactly("not a");
    assertThat(index.ended(0, 100)).isFalse();
    take(0);
    assertThat(done).containsExactly("not a", "b");
  }

  @Test
  void a_read_whose_records_do_not_come_is_refused_in_time() {
    index.add(read("a"));
    index.ended(5, 100);
    index.add(read("b"));
    index.ended(3, 200);
    index.expire(99, ReadIndex.unconfirmed());
    assertThat(done).isEmpty();
    index.expire(100, ReadIndex.unconfirmed());
    assertThat(done).containsExactly("not a");
    take(4);
    assertThat(done).as("what was an end once is waited for").hasSize(1);
    take(5);
    assertThat(done).containsExactly("not a", "b");
  }

  @Test
  void all_are_told_when_it_stops() {
    index.add(read("a"));
    index.ended(5, 100);
    index.add(read("b"));
    index.add(read("c"));
    index.stop(ReadIndex.unconfirmed());
    assertThat(done).containsExactlyInAnyOrder("not a", "not b", "not c");
    index.stop(ReadIndex.unconfirmed());
    take(9);
    assertThat(done).hasSize(3);
  }
}
