package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.wire.WriteResult;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers that number their batches, over a real log and a real table. */
final class ShardWritersTest {

  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  private static final Bytes OTHER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(8).array());

  @TempDir private Path directory;
  private Shards shards;

  @BeforeEach
  void open() throws Exception {
    shards =
        Shards.open(
            TestShards.layout(directory, 1, 64 << 10),
            partition -> true,
            new NoMeter(),
            new TestClock());
  }

  @AfterEach
  void close() throws Exception {
    shards.close();
  }

  private Outcomes send(Bytes writer, long number, long after, ChangeBatch batch) {
    Outcomes outcome = new Outcomes();
    shards
        .of(1)
        .write(
            new PendingWrite(
                batch,
                new PendingWrite.Judging(
                    ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch)),
                Optional.of(new Numbered(writer, number, after)),
                true,
                outcome));
    return outcome;
  }

  @Test
  void a_repetition_gets_the_first_answer_also_after_a_restart() throws Exception {
    WriteResult first = send(WRITER, 1, 0, rows()).result();
    assertThat(first.appliedRows()).isEqualTo(2);
    assertThat(send(WRITER, 1, 0, rows()).result()).isEqualTo(first);
    WriteResult second = send(WRITER, 2, 1, rows()).result();
    assertThat(second.rejections()).hasSize(1);
    long committed = shards.committed(1);
    for (int i = 0; i < 3; i++) {
      shards.close();
      open();
      assertThat(send(WRITER, 2, 1, rows()).result()).isEqualTo(second);
      assertThat(send(WRITER, 1, 0, rows()).refusal()).isEqualTo(ErrorCode.WRITER_ENDED);
      assertThat(send(WRITER, 4, 3, rows()).refusal())
          .as("batch 3 is missing")
          .isEqualTo(ErrorCode.WRITER_ENDED);
      assertThat(shards.committed(1)).isEqualTo(committed);
    }
    assertThat(send(WRITER, 5, 2, rows()).result().appliedRows()).isEqualTo(1);
  }

  @Test
  void batches_of_many_writers_that_come_together_are_merged_and_found_again() throws Exception {
    List<Bytes> writers = new ArrayList<>();
    List<WriteResult> results = new ArrayList<>();
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      writers.add(Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(i).array()));
      outcomes.add(send(writers.get(i), 1, 0, batch(1, put("k" + i), put("l" + i))));
    }
    for (Outcomes outcome : outcomes) {
      results.add(outcome.result());
    }
    shards.close();
    open();
    for (int i = 0; i < 200; i++) {
      assertThat(send(writers.get(i), 1, 0, batch(1, put("k" + i), put("l" + i))).result())
          .isEqualTo(results.get(i));
    }
    assertThat(shards.committed(1)).isEqualTo(400);
  }

  @Test
  void a_repetition_that_overtakes_its_first_attempt_waits_for_the_answer() throws Exception {
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      outcomes.add(send(WRITER, 1 + i / 5, i / 5, batch(1, put("k" + i / 5))));
    }
    for (int i = 0; i < 50; i++) {
      assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(1 + i / 5);
    }
    assertThat(shards.committed(1)).isEqualTo(10);
  }

  @Test
  void a_batch_without_an_accepted_row_is_answered_again_as_long_as_the_server_lives()
      throws Exception {
    send(OTHER, 1, 0, batch(1, put("c"))).result();
    WriteResult first = send(WRITER, 1, 0, batch(1, fresh("c"))).result();
    assertThat(first.appliedRows()).isZero();
    send(OTHER, 2, 1, batch(1, new RowDeleteChange(TestRows.key("c")))).result();
    assertThat(send(WRITER, 1, 0, batch(1, fresh("c"))).result()).isEqualTo(first);
    assertThat(send(WRITER, 2, 0, batch(1, fresh("c"))).result().appliedRows()).isEqualTo(1);
  }

  @Test
  void another_batch_under_a_number_that_was_answered_is_refused() throws Exception {
    send(WRITER, 1, 0, batch(1, put("a"))).result();
    assertThat(send(WRITER, 1, 0, rows()).refusal()).isEqualTo(ErrorCode.WRITER_ENDED);
  }

  /** A row that is always written, and a row that is written once. */
  private static ChangeBatch rows() {
    return batch(1, put("a"), fresh("b"));
  }

  private static RowPutChange fresh(String key) {
    return new RowPutChange(TestRows.key(key), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
  }
}
