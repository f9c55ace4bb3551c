package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.WriteFailedException;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.Operation;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A write whose result nobody looks at does not lose rows silently. */
class CarefulWriteTest extends WriterFixture {

  private static final RowChange MISSPELT =
      new RowPutChange(PrimaryKey.builder().add("ib", 7).build(), List.of());

  @Test
  void a_row_that_was_not_applied_is_thrown_with_what_became_of_all() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      WriteFailedException failure =
          catchThrowableOfType(
              WriteFailedException.class,
              () -> client.write("t", List.of(row(1, 1), MISSPELT, MISSPELT)));
      assertThat(failure)
          .hasMessageStartingWith(
              "2 of 3 rows of table 't' not applied; the first is row 1, (ib=7), REJECTED"
                  + " INVALID_REQUEST: ");
      assertThat(failure.firstFailed()).isEqualTo(1);
      assertThat(failure.code()).contains(ErrorCode.INVALID_REQUEST);
      assertThat(failure.result().orElseThrow().results())
          .extracting(RowResult::outcome)
          .containsExactly(Outcome.APPLIED, Outcome.REJECTED, Outcome.REJECTED);
    }
    assertThat(table.valuesByKey()).containsOnlyKeys(1L);
  }

  @Test
  void a_row_in_doubt_is_thrown_and_said_to_be_in_doubt() {
    new FakeTable(1, 1).serve(server);
    server.on(
        Operation.WRITE, (connection, frame) -> connection.refuse(frame, ErrorCode.STORAGE_FAILED));
    try (TableClient client = client()) {
      assertThatThrownBy(() -> client.write("t", List.of(row(1, 1))))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("1 of 1 row of table 't' not applied, 1 of them in doubt")
          .hasMessageContaining("IN_DOUBT STORAGE_FAILED");
    }
  }

  @Test
  void the_future_of_a_write_fails_as_the_call_does() {
    new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      assertThat(client.writeAsync("t", List.of(row(1, 1))).join().allApplied()).isTrue();
      assertThatThrownBy(() -> client.writeAsync("t", List.of(MISSPELT)).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(WriteFailedException.class);
    }
  }

  @Test
  void who_looks_at_each_row_tries() {
    new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      List<RowChange> rows = List.of(MISSPELT, row(2, 2));
      BatchWriteResult tried = client.tryWrite("t", rows);
      assertThat(tried.count(Outcome.REJECTED)).isEqualTo(1);
      assertThat(client.tryWriteAsync("t", rows).join().count(Outcome.APPLIED)).isEqualTo(1);
    }
  }

  @Test
  void a_null_among_the_rows_refuses_all_of_them() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    List<RowChange> rows = Arrays.asList(row(1, 1), null, row(2, 2));
    try (TableClient client = client()) {
      assertThatThrownBy(() -> client.write("t", rows)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> client.writeAsync("t", rows))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> client.tryWrite("t", rows)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> client.tryWriteAsync("t", rows))
          .isInstanceOf(NullPointerException.class);
      assertThat(client.tryWrite("t", List.of(row(3, 3))).allApplied()).isTrue();
    }
    assertThat(table.valuesByKey()).containsOnlyKeys(3L);
  }

  @Test
  void a_long_key_does_not_fill_the_message() {
    new FakeTable(1, 1).serve(server);
    RowChange longKey =
        new RowPutChange(PrimaryKey.builder().add("name", "k".repeat(900)).build(), List.of());
    try (TableClient client = client()) {
      assertThatThrownBy(() -> client.write("t", List.of(longKey)))
          .satisfies(
              failure -> assertThat(failure.getMessage().indexOf("REJECTED")).isLessThan(300));
    }
  }
}
