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

  @Test
  void batches_are_numbered_where_the_service_gives_an_id() {
    given(7);
    ids.open();
    assertThat(ids.token()).contains(token(7).bytes());
    pass(4, TimeUnit.MINUTES);
    assertThat(ids.token()).contains(token(7).bytes());
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void an_old_id_is_replaced_and_serves_until_the_new_one_is_there() {
    given(7);
    ids.open();
    pass(5, TimeUnit.MINUTES);
    answers.add(
        CompletableFuture.failedFuture(new ConnectionException("nobody answers", true, null)));
    assertThat(ids.token()).contains(token(7).bytes());
    assertThat(ids.token()).contains(token(7).bytes());
    pass(1, TimeUnit.SECONDS);
    given(8);
    assertThat(ids.token()).as("asked for the new one").contains(token(7).bytes());
    assertThat(ids.token()).contains(token(8).bytes());
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"UNKNOWN_OPERATION", "FEATURE_NOT_ENABLED", "NOT_PERMITTED"})
  void an_older_service_is_written_to_without_numbers_and_asked_again_each_minute(ErrorCode code) {
    refused(code);
    ids.open();
    assertThat(ids.token()).isEmpty();
    pass(59, TimeUnit.SECONDS);
    assertThat(ids.token()).isEmpty();
    assertThat(asked).isEqualTo(1);
    pass(2, TimeUnit.SECONDS);
    given(8);
    assertThat(ids.token()).as("asked again meanwhile").isEmpty();
    assertThat(ids.token()).contains(token(8).bytes());
  }

  @Test
  void a_service_that_does_not_say_is_asked_again_soon() {
    answers.add(
        CompletableFuture.failedFuture(new ConnectionException("nobody answers", true, null)));
    ids.open();
    assertThat(ids.token()).isEmpty();
    pass(1, TimeUnit.SECONDS);
    given(9);
    var unused = ids.token();
    assertThat(ids.token()).contains(token(9).bytes());
  }

  @Test
  void an_id_that_ends_is_replaced_once_and_not_at_once_when_it_was_short_lived() {
    given(1);
    ids.open();
    pass(5, TimeUnit.SECONDS);
    given(2);
    ids.ended(token(1).bytes(), ErrorCode.WRITER_ENDED);
    ids.ended(token(1).bytes(), ErrorCode.WRITER_ENDED);
    assertThat(ids.token()).contains(token(2).bytes());
    ids.ended(token(2).bytes(), ErrorCode.WRITER_ENDED);
    assertThat(ids.token()).isEqualTo(Optional.empty());
    assertThat(asked).isEqualTo(2);
    pass(61, TimeUnit.SECONDS);
    given(3);
    var unused = ids.token();
    assertThat(ids.token()).contains(token(3).bytes());
  }
}
