package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The features of rows in a cluster of appends, across changes of the leader. */
class AppendFeaturesTest extends FeatureNodes {

  @Test
  void an_atomic_batch_whose_leader_dies_before_the_answer_counts_as_a_whole_and_once()
      throws Exception {
    lead(first, plain);
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes lost = atomic(first, batch, put("a"), create("b"), put("c"));
    var unused = first.step();
    nodes.logs.land(true);
    restart(false);
    assertThat(lost.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    lead(second, plain);
    Outcomes again = atomic(second, batch, put("a"), create("b"), put("c"));
    nodes.settle();
    assertThat(again.result().firstPosition()).isEqualTo(1);
    assertThat(again.result().appliedRows()).isEqualTo(3);
    for (Node node : List.of(first, second)) {
      assertThat(batches(node, plain)).containsExactly(3);
    }
    assertThat(has(second, plain, "b")).isTrue();
  }

  @Test
  void an_atomic_batch_that_never_landed_is_seen_by_nobody() throws Exception {
    lead(first, plain);
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes lost = atomic(first, batch, put("a"), put("b"));
    // The next leader claims before the batch lands.
    second.replicas.lead(plain);
    second.replicas.tick();
    var unusedOfSecond = second.step();
    nodes.logs.land(true);
    var unusedOfFirst = first.step();
    nodes.settle();
    assertThat(lost.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    first.replicas.follow(plain);
    nodes.pass(100);
    assertThat(has(second, plain, "a")).isFalse();
    assertThat(has(second, plain, "b")).isFalse();
    Outcomes again = atomic(second, batch, put("a"), put("b"));
    nodes.settle();
    assertThat(again.result().firstPosition()).isEqualTo(1);
    assertThat(batches(first, plain)).containsExactly(2);
  }

  @Test
  void a_refused_atomic_batch_is_refused_by_the_next_leader_too_and_leaves_no_change()
      throws Exception {
    lead(first, plain);
    write(first, plain, put("b"));
    Numbered batch = new Numbered(WRITER, 1, 0);
    Outcomes refused = atomic(first, batch, put("a"), create("b"));
    nodes.settle();
    assertThat(refused.result().rejections()).hasSize(2);
    write(first, plain, new RowDeleteChange(key("b")));
    lead(second, plain);
    Outcomes again = atomic(second, batch, put("a"), create("b"));
    nodes.settle();
    assertThat(again.result()).isEqualTo(refused.result());
    assertThat(second.replicas.committed(plain)).isEqualTo(2);
    assertThat(write(second, plain, put("z")).firstPosition()).isEqualTo(3);
  }

  // Time to live

  private static RowChange newRow() {
    return new RowPutChange(PrimaryKey.builder().add("shop", "s").auto("n").build(), List.of());
  }

  private static PrimaryKey row(long number) {
    return PrimaryKey.builder().add("shop", "s").add("n", number).build();
  }

  private Outcomes number(Node node, Numbered writer, RowChange... rows) {
    ChangeBatch batch = batch(numbered, NUMBERED, Bytes.EMPTY, List.of(rows));
    return send(node, batch, Optional.of(writer));
  }

  @Test
  void a_number_is_never_given_twice_across_leaders() throws Exception {
    lead(first, numbered);
    Outcomes two = number(first, new Numbered(WRITER, 1, 0), newRow(), newRow());
    nodes.settle();
    assertThat(two.result().firstNumber()).isEqualTo(OptionalLong.of(1));
    Outcomes gone = number(first, new Numbered(WRITER, 2, 1), new RowDeleteChange(row(2)));
    nodes.settle();
    assertThat(gone.result().appliedRows()).isEqualTo(1);
    // A third row lands, and its leader dies before the answer.
    var unusedLost = number(first, new Numbered(WRITER, 3, 2), newRow());
    var unused = first.step();
    nodes.logs.land(true);
    restart(true);
    lead(second, numbered);
    Outcomes again = number(second, new Numbered(WRITER, 3, 2), newRow());
    Outcomes next = number(second, new Numbered(OTHER, 1, 0), newRow());
    nodes.settle();
    assertThat(again.result().firstNumber()).isEqualTo(OptionalLong.of(3));
    assertThat(next.result().firstNumber()).isEqualTo(OptionalLong.of(4));
    // A node without its disk has read the numbers from the log.
    lead(first, numbered);
    Outcomes last = number(first, new Numbered(OTHER, 2, 1), newRow());
    nodes.settle();
    assertThat(last.result().firstNumber()).isEqualTo(OptionalLong.of(5));
    assertThat(first.replicas.of(numbered).table().get(numbered, KeyCodec.encode(row(3), NUMBERED)))
        .isPresent();
  }

  // Writers

  @Test
  void a_writer_is_known_for_ten_minutes_of_the_log_on_each_node() throws Exception {
    lead(first, plain);
    ChangeBatch rows = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(add("n", 1)));
    Outcomes one = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    nodes.clock.pass(9 * 60_000);
    write(first, plain, put("other"));
    lead(second, plain);
    Outcomes again = send(second, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result()).isEqualTo(one.result());
    restart(true);
    lead(first, plain);
    Outcomes cold = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(cold.result()).isEqualTo(one.result());
    // Clocks alone forget nobody: the log has to be older.
    nodes.clock.pass(2 * 60_000);
    Outcomes late = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(late.result()).isEqualTo(one.result());
    Outcomes other = send(first, rows, Optional.of(new Numbered(OTHER, 1, 0)));
    nodes.settle();
    assertThat(other.result().appliedRows()).isEqualTo(1);
    for (Node node : List.of(first, second)) {
      lead(node, plain);
      Outcomes gone = send(node, rows, Optional.of(new Numbered(WRITER, 1, 0)));
      nodes.settle();
      assertThat(gone.refusal()).isEqualTo(ErrorCode.WRITER_ENDED);
    }
    assertThat(value(second, plain, "n", "v")).isEqualTo(2);
  }

  @Test
  void a_refused_batch_that_lands_late_forgets_no_writer_of_the_last_ten_minutes()
      throws Exception {
    lead(first, plain);
    ChangeBatch rows = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(put("a")));
    Outcomes one = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    nodes.clock.pass(10 * 60_000 - 10_000);
    ChangeBatch refused = batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(create("a")));
    Outcomes other = send(first, refused, Optional.of(new Numbered(OTHER, 1, 0)));
    var unused = first.step();
    nodes.clock.pass(20_000);
    nodes.settle();
    assertThat(other.result().rejections()).hasSize(1);
    Outcomes again = send(first, rows, Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result()).isEqualTo(one.result());
  }

  // Updates

  @Test
  void updates_are_appended_without_a_read_and_merged_by_each_node() throws Exception {
    lead(first, plain);
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      outcomes.add(send(first, plain, set("a", "c" + i, i)));
      var unused = first.step();
    }
    assertThat(outcomes).noneMatch(Outcomes::isTold);
    nodes.settle();
    for (int i = 0; i < 4; i++) {
      assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(i + 1);
    }
    assertThat(batches(first, plain)).as("four records under way").containsExactly(1, 1, 1, 1);
    lead(second, plain);
    for (int i = 0; i < 4; i++) {
      assertThat(value(second, plain, "a", "c" + i)).isEqualTo(i);
    }
  }

  @Test
  void increments_and_returned_columns_go_on_at_the_next_leader() throws Exception {
    lead(first, plain);
    write(first, plain, add("n", 5));
    lead(second, plain);
    RowUpdateChange more =
        new RowUpdateChange(key("n"), List.of(new ColumnUpdate.Increment("v", 2)))
            .returning(Returning.columns("v"));
    Outcomes outcome =
        send(
            second,
            batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(more)),
            Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(outcome.result().returned()).hasSize(1);
    lead(first, plain);
    Outcomes again =
        send(
            first,
            batch(plain, TestRows.SCHEMA, Bytes.EMPTY, List.of(more)),
            Optional.of(new Numbered(WRITER, 1, 0)));
    nodes.settle();
    assertThat(again.result().returned()).hasSize(1);
    assertThat(again.result().firstPosition()).isEqualTo(outcome.result().firstPosition());
    assertThat(value(first, plain, "n", "v")).isEqualTo(7);
  }
}
