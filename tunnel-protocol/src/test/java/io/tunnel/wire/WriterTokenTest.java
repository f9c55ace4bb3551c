package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The id of a writer, and the refusal that tells its date. */
class WriterTokenTest {

  private static final WriterToken TOKEN =
      WriterToken.of(5, Bytes.copyOf(new byte[WriterToken.SECRET_BYTES]));

  private static String part(Bytes writer, int from, int to) {
    return Bytes.copyOf(writer.toByteArray(), from, to - from).toString();
  }

  @Test
  void another_date_makes_no_other_writer_and_another_principal_does() {
    Bytes alice = TOKEN.writer("alice");
    assertThat(alice.length()).isEqualTo(WrittenRows.WRITER_BYTES);
    assertThat(TOKEN.dateMicros()).isEqualTo(5);
    assertThat(TOKEN.dated(9).dateMicros()).isEqualTo(9);
    Bytes later = TOKEN.dated(9).writer("alice");
    assertThat(part(later, 8, 24)).isEqualTo(part(alice, 8, 24));
    assertThat(part(later, 0, 8)).isNotEqualTo(part(alice, 0, 8));
    Bytes bob = TOKEN.writer("bob");
    assertThat(part(bob, 8, 16)).isNotEqualTo(part(alice, 8, 16));
    assertThat(part(bob, 16, 24)).isNotEqualTo(part(alice, 16, 24));
    byte[] secret = new byte[WriterToken.SECRET_BYTES];
    secret[15] = 1;
    Bytes second = WriterToken.of(5, Bytes.copyOf(secret)).writer("alice");
    assertThat(part(second, 8, 16)).as("one principal").isEqualTo(part(alice, 8, 16));
    assertThat(part(second, 16, 24)).isNotEqualTo(part(alice, 16, 24));
  }

  @Test
  void the_refusal_of_a_writer_tells_a_date_and_is_malformed_without() {
    RefusedException refused = RefusedException.writerEnded("ended", Long.MAX_VALUE - 3);
    byte[] payload = ErrorPayload.of(refused).encode();
    RefusedException read = ErrorPayload.decode(payload).toException();
    assertThat(read.code()).isEqualTo(ErrorCode.WRITER_ENDED);
    assertThat(read.getMessage()).isEqualTo("ended");
    assertThat(read.writerDateMicros()).isEqualTo(Long.MAX_VALUE - 3);
    assertThat(read.again().writerDateMicros()).isEqualTo(Long.MAX_VALUE - 3);
    for (int length = 2; length < 10; length++) {
      byte[] cut = Arrays.copyOf(payload, length);
      assertThatThrownBy(() -> ErrorPayload.decode(cut)).isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(() -> new ErrorPayload(ErrorCode.BUSY, "x", Optional.empty(), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
