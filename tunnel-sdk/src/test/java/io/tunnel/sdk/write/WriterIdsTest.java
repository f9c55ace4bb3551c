package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether batches are numbered, by what the service answers. */
class WriterIdsTest {

  private final Deque<CompletableFuture<WriterToken>> answers = new ArrayDeque<>();
  private long nowNanos = 5;
  private int asked;
  private final WriterIds ids = new WriterIds(new Service(), 1, () -> nowNanos);

  private final class Service implements PartitionMaps {
    @Override
    public CompletableFuture<TableDescription> read() {
      throw new AssertionError("the map is not needed");
    }

    @Override
    public CompletableFuture<WriterToken> openWriter(int tableId) {
      asked++;
      return answers.remove();
    }
  }

  private static WriterToken token(int micros) {
    return WriterToken.of(micros, Bytes.copyOf(new byte[WriterToken.SECRET_BYTES]));
  }

  private void given(int micros) {
    answers.add(CompletableFuture.completedFuture(token(micros)));
  }

  private void refused(ErrorCode code) {
    answers.add(CompletableFuture.failedFuture(new RefusedException(code, "as a test says")));
  }

  private void pass(long amount, TimeUnit unit) {
    nowNanos += unit.toNanos(amount);
  }

  private Optional<Bytes> id() {
    return ids.id().join();
  }

  @Test
  void an_engine_has_one_id_for_its_life() {
    given(7);
    ids.settled().join();
    assertThat(id()).contains(token(7).bytes());
    pass(4, TimeUnit.HOURS);
    assertThat(id()).contains(token(7).bytes());
    assertThat(asked).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"UNKNOWN_OPERATION", "FEATURE_NOT_ENABLED"})
  void an_older_service_is_written_to_without_numbers_and_asked_again_each_minute(ErrorCode code) {
    refused(code);
    ids.settled().join();
    assertThat(id()).isEmpty();
    pass(59, TimeUnit.SECONDS);
    assertThat(id()).isEmpty();
    assertThat(asked).isEqualTo(1);
    pass(2, TimeUnit.SECONDS);
    answers.add(
        CompletableFuture.failedFuture(new ConnectionException("nobody answers", true, null)));
    assertThat(id()).as("asked again; writes go on meanwhile").isEmpty();
    pass(60, TimeUnit.SECONDS);
    given(8);
    assertThat(id()).as("asked again").isEmpty();
    assertThat(id()).contains(token(8).bytes());
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"NOT_PERMITTED", "INTERNAL", "BUSY", "TABLE_NOT_FOUND"})
  void no_other_refusal_is_taken_for_a_service_without_ids(ErrorCode code) {
    refused(code);
    ids.settled().join();
    refused(code);
    assertThat(ids.id()).isCompletedExceptionally();
    given(9);
    assertThat(id()).as("asked again at once").contains(token(9).bytes());
  }

  @Test
  void whoever_wants_an_id_while_a_request_is_under_way_waits_for_its_answer() {
    CompletableFuture<WriterToken> late = new CompletableFuture<>();
    answers.add(late);
    CompletableFuture<Optional<Bytes>> first = ids.id();
    CompletableFuture<Optional<Bytes>> second = ids.id();
    assertThat(first.completeExceptionally(new IllegalStateException("waits no more"))).isTrue();
    assertThat(second).isNotDone();
    late.complete(token(3));
    assertThat(second.join()).contains(token(3).bytes());
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void a_request_that_cannot_be_made_is_a_request_that_failed() {
    assertThat(ids.id()).as("there is no answer to take").isCompletedExceptionally();
    given(4);
    assertThat(id()).contains(token(4).bytes());
  }
}
