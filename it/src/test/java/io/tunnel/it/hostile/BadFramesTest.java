package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bytes that are not what a client should send. */
class BadFramesTest {

  private static final byte[] NOTHING = {};
  private static final int NO_OPERATION = 0;

  /** Bytes behind the length of a frame from a client that has not greeted. */
  private static final int GREETING_BYTES_MAX = 4 * 1024;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;

  @BeforeAll
  static void begin() {
    calm = new CalmServer(STAGE);
  }

  @AfterAll
  static void end() {
    calm.requireUndisturbed();
  }

  @AfterEach
  void the_server_is_healthy() {
    calm.requireHealthy();
  }

  private static ErrorPayload lastWordsAfter(byte[] bytes, int operation, int correlationId) {
    try (RawClient client = RawClient.silent(calm.server())) {
      client.send(bytes);
      return client.closedWith(operation, correlationId);
    }
  }

  private static byte[] request(Operation operation, byte[] payload) {
    return RawClient.bytesOf(operation.code(), FrameKind.REQUEST, 77, payload);
  }

  private static byte[] hello() {
    return request(Operation.HELLO, Hello.request(Protocol.SPOKEN, "test").encode());
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void a_connection_that_does_not_open_with_a_greeting_is_told_to() {
    int operation = Operation.LIST_TABLES.code();
    ErrorPayload error = lastWordsAfter(request(Operation.LIST_TABLES, NOTHING), operation, 77);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(error.message()).contains("opens with a HELLO request");
  }

  @Test
  void a_greeting_with_other_magic_is_told_the_right_one() {
    byte[] hello = Hello.request(Protocol.SPOKEN, "test").encode();
    hello[3] ^= 1;
    ErrorPayload error =
        lastWordsAfter(request(Operation.HELLO, hello), Operation.HELLO.code(), 77);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(error.message()).contains("TNL1");
    error = lastWordsAfter(request(Operation.HELLO, NOTHING), Operation.HELLO.code(), 77);
    assertThat(error.message()).contains("TNL1");
  }

  @Test
  void another_protocol_altogether_gets_an_error_and_no_connection() {
    byte[] http = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    ErrorPayload error = lastWordsAfter(http, NO_OPERATION, 0);
    assertThat(error.code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE);
    assertThat(error.message()).contains("at most " + GREETING_BYTES_MAX);
  }

  @Test
  void tls_is_told_that_this_port_does_not_speak_it() {
    byte[] hello = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 0, 0};
    ErrorPayload error = lastWordsAfter(hello, NO_OPERATION, 0);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(error.message()).contains("looks like TLS");
  }

  @Test
  void a_frame_over_the_limit_is_refused_before_its_payload_and_one_at_the_limit_is_taken() {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, Operation.WRITE.code(), FrameKind.REQUEST, 5, 0);
    Binary.putInt(header, 0, Limits.FRAME_BYTES_MAX + 1);
    try (RawClient client = RawClient.greeted(calm.server())) {
      client.send(header);
      ErrorPayload error = client.closedWith(NO_OPERATION, 0);
      assertThat(error.code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE);
      assertThat(error.message()).contains("at most " + Limits.FRAME_BYTES_MAX);
    }
    try (RawClient client = RawClient.greeted(calm.server())) {
      byte[] largest = new byte[Limits.FRAME_BYTES_MAX + 4 - Frame.HEADER_BYTES];
      ErrorPayload unknown = RawClient.errorOf(client.ask(200, largest));
      assertThat(unknown.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATION);
      client.requireOpen();
    }
  }

  @Test
  void whoever_has_not_greeted_can_announce_no_more_than_a_greeting_takes() {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, Operation.HELLO.code(), FrameKind.REQUEST, 5, 0);
    Binary.putInt(header, 0, GREETING_BYTES_MAX + 1);
    ErrorPayload error = lastWordsAfter(header, NO_OPERATION, 0);
    assertThat(error.code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE);
    assertThat(error.message()).contains("at most " + GREETING_BYTES_MAX);
  }

  @Test
  void lengths_kinds_and_reserved_bits_that_cannot_be_are_refused() {
    byte[] tooShort = hello();
    Binary.putInt(tooShort, 0, 7);
    assertThat(lastWordsAfter(tooShort, NO_OPERATION, 0).message()).contains("not 8 to");
    byte[] negative = hello();
    Binary.putInt(negative, 0, -1);
    assertThat(lastWordsAfter(negative, NO_OPERATION, 0).code())
        .isEqualTo(ErrorCode.FRAME_TOO_LARGE);
    byte[] kind = hello();
    kind[5] = 4;
    assertThat(lastWordsAfter(kind, NO_OPERATION, 0).message()).contains("kind 0 to 3");
    byte[] reserved = hello();
    reserved[6] = 1;
    assertThat(lastWordsAfter(reserved, NO_OPERATION, 0).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
  }

  @Test
  void what_only_a_server_says_is_refused_from_a_client() {
    for (FrameKind kind : List.of(FrameKind.RESPONSE, FrameKind.ERROR, FrameKind.PUSH)) {
      try (RawClient client = RawClient.greeted(calm.server())) {
        int operation = Operation.ASSIGN.code();
        client.send(RawClient.bytesOf(operation, kind, 9, NOTHING));
        ErrorPayload error = client.closedWith(operation, 9);
        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(error.message()).contains("a client sends requests");
      }
    }
  }

  @Test
  void an_unknown_operation_is_named_and_the_connection_goes_on() {
    try (RawClient client = RawClient.greeted(calm.server())) {
      for (int operation : new int[] {0, 4, 15, 47, 69, 255}) {
        ErrorPayload error = RawClient.errorOf(client.ask(operation, new byte[] {1, 2, 3}));
        assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATION);
        assertThat(error.message()).contains("no operation " + operation);
      }
      for (Operation pushed :
          List.of(
              Operation.ASSIGN,
              Operation.DELIVER,
              Operation.CREDIT,
              Operation.RENEW,
              Operation.FENCE)) {
        ErrorPayload error = client.refused(pushed, NOTHING);
        assertThat(error.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATION);
        assertThat(error.message()).contains(pushed.name());
      }
      client.requireOpen();
    }
  }

  @Test
  void half_a_frame_then_silence_harms_nobody_and_the_other_half_may_come_late() {
    byte[] whole = join(hello(), request(Operation.LIST_TABLES, NOTHING));
    List<RawClient> halves = new ArrayList<>();
    for (int bytes = 0; bytes < whole.length; bytes++) {
      RawClient client = STAGE.closing(RawClient.silent(calm.server()));
      client.send(Arrays.copyOf(whole, bytes));
      halves.add(client);
    }
    calm.requireHealthy();
    for (int i = 0; i < halves.size(); i += 3) {
      RawClient client = halves.get(i);
      client.send(Arrays.copyOfRange(whole, i, whole.length));
      assertThat(client.receive().orElseThrow().operation()).isEqualTo(Operation.HELLO);
      assertThat(client.receive().orElseThrow().operation()).isEqualTo(Operation.LIST_TABLES);
    }
    halves.forEach(RawClient::close);
  }

  @Test
  void garbage_is_answered_with_errors_or_nothing_and_never_with_a_hanging_connection() {
    SplittableRandom random = new SplittableRandom(20_260_101);
    for (int round = 0; round < 300; round++) {
      byte[] garbage = new byte[random.nextInt(1, 600)];
      random.nextBytes(garbage);
      if (random.nextBoolean()) {
        // A valid length, so the server looks at the bytes behind.
        garbage = join(new byte[] {0, 0, 0, (byte) random.nextInt(8, 200)}, garbage);
      }
      boolean isGreeted = random.nextBoolean();
      try (RawClient client = RawClient.silent(calm.server())) {
        client.sendWhileOpen(isGreeted ? join(hello(), garbage) : garbage);
        for (Optional<Frame> frame = client.receive();
            frame.isPresent();
            frame = client.receive()) {
          if (frame.get().kind() == FrameKind.ERROR) {
            assertThat(RawClient.errorOf(frame.get()).message()).isNotEmpty();
          } else {
            assertThat(frame.get().operation()).as("round %d", round).isEqualTo(Operation.HELLO);
          }
        }
      }
    }
  }
}
