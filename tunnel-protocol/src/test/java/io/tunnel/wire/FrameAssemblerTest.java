package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameAssemblerTest {

  private static final List<Frame> FRAMES =
      List.of(
          new Frame(Operation.HELLO, FrameKind.REQUEST, 1, new byte[] {1, 2, 3}),
          new Frame(Operation.LIST_TABLES, FrameKind.REQUEST, -1, new byte[0]),
          new Frame(Operation.RELEASE, FrameKind.RESPONSE, 0, new byte[0]),
          new Frame(Operation.CREDIT, FrameKind.PUSH, 0, new byte[16]),
          new Frame(255, FrameKind.ERROR, Integer.MIN_VALUE, new byte[] {-1}),
          new Frame(0, FrameKind.ERROR, 0, new byte[0]));

  private final List<Frame> received = new ArrayList<>();
  private final FrameAssembler assembler = new FrameAssembler();

  @Test
  void frames_come_out_whole_wherever_two_cuts_are_made() {
    byte[] stream = stream(FRAMES);
    for (int first = 0; first <= stream.length; first++) {
      for (int second = first; second <= stream.length; second++) {
        received.clear();
        feed(stream, 0, first);
        feed(stream, first, second);
        feed(stream, second, stream.length);
        assertReceived(FRAMES);
      }
    }
  }

  @Test
  void frames_come_out_of_single_bytes_each_as_soon_as_it_is_whole() {
    byte[] stream = stream(FRAMES);
    int end = 0;
    int whole = 0;
    for (int at = 0; at < stream.length; at++) {
      feed(stream, at, at + 1);
      if (at + 1 == end + Frame.HEADER_BYTES + FRAMES.get(whole).payload().length) {
        end = at + 1;
        whole++;
      }
      assertThat(received).hasSize(whole);
      assertThat(assembler.isMidFrame()).isEqualTo(at + 1 > end);
    }
    assertReceived(FRAMES);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void large_frames_come_out_whole_however_they_are_cut(long seed) {
    Random random = new Random(seed);
    List<Frame> frames = new ArrayList<>();
    for (int bytes : new int[] {0, 262_143, 262_144, 262_145, 1, 3_000_000, 1_048_577, 0}) {
      byte[] payload = new byte[bytes];
      random.nextBytes(payload);
      frames.add(new Frame(Operation.WRITE, FrameKind.REQUEST, bytes, payload));
    }
    byte[] stream = stream(frames);
    for (int at = 0; at < stream.length; ) {
      int end =
          Math.min(stream.length, at + 1 + random.nextInt(random.nextBoolean() ? 20 : 90_000));
      feed(stream, at, end);
      at = end;
    }
    assertReceived(frames);
  }

  @Test
  void a_frame_is_read_from_a_buffer_outside_the_heap() {
    byte[] stream = stream(FRAMES);
    ByteBuffer direct = ByteBuffer.allocateDirect(stream.length + 9).position(9);
    direct.put(stream).flip().position(9);
    assembler.feed(direct, received::add);
    assertThat(direct.hasRemaining()).isFalse();
    assertReceived(FRAMES);
  }

  @Test
  void a_frame_of_the_largest_size_is_taken() {
    byte[] payload = new byte[Limits.FRAME_BYTES_MAX - 8];
    payload[payload.length - 1] = 9;
    List<Frame> frames = List.of(new Frame(Operation.WRITE, FrameKind.REQUEST, 1, payload));
    byte[] stream = stream(frames);
    feed(stream, 0, stream.length);
    assertReceived(frames);
  }

  @ParameterizedTest
  @CsvSource({
    "00000000, INVALID_REQUEST, a frame of 0 bytes",
    "00000007, INVALID_REQUEST, a frame of 7 bytes",
    "00800001, FRAME_TOO_LARGE, a frame of 8388609 bytes; at most 8388608",
    "48545450, FRAME_TOO_LARGE, it answers in HTTP: this is the port of /health",
    "7fffffff, FRAME_TOO_LARGE, a frame of 2147483647 bytes",
    "80000000, FRAME_TOO_LARGE, a frame of 2147483648 bytes",
    "ffffffff, FRAME_TOO_LARGE, a frame of 4294967295 bytes"
  })
  void a_length_out_of_bounds_is_refused_before_anything_follows_it(
      String hex, ErrorCode code, String message) {
    assertRefused(Bytes.fromHex(hex).toByteArray(), code, message);
  }

  @Test
  void the_limit_is_the_one_that_was_given() {
    FrameAssembler small = new FrameAssembler(20);
    byte[] fits = stream(List.of(new Frame(Operation.HELLO, FrameKind.REQUEST, 1, new byte[12])));
    small.feed(ByteBuffer.wrap(fits), received::add);
    assertThat(received).hasSize(1);
    byte[] over = stream(List.of(new Frame(Operation.HELLO, FrameKind.REQUEST, 1, new byte[13])));
    assertThatExceptionOfType(FrameException.class)
        .isThrownBy(() -> small.feed(ByteBuffer.wrap(over), received::add))
        .withMessageContaining("21 bytes; at most 20");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, 0, 7, Limits.FRAME_BYTES_MAX + 1, Integer.MAX_VALUE})
  void a_limit_that_no_frame_can_keep_or_no_peer_expects_is_refused(int frameBytesMax) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FrameAssembler(frameBytesMax))
        .withMessageContaining("8 to 8388608, not " + frameBytesMax);
  }

  @ParameterizedTest
  @CsvSource({
    "000000080104000000000001, of kind 4",
    "0000000801ff000000000001, of kind 255",
    "000000080100000100000001, reserved bits 1",
    "000000080100800000000001, reserved bits 32768"
  })
  void a_header_that_this_version_does_not_know_is_refused(String hex, String message) {
    assertRefused(Bytes.fromHex(hex).toByteArray(), ErrorCode.INVALID_REQUEST, message);
  }

  @Test
  void another_protocol_is_refused_at_its_first_bytes() {
    assertRefused(
        "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
        ErrorCode.FRAME_TOO_LARGE,
        "at most 8388608");
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6, 7})
  void garbage_is_refused_or_waits_for_more(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] garbage = new byte[random.nextInt(64)];
      random.nextBytes(garbage);
      if (garbage.length > 3) {
        // A length that could be one: otherwise nearly all garbage ends with its first byte.
        Binary.putInt(garbage, 0, random.nextInt(40));
      }
      FrameAssembler one = new FrameAssembler();
      List<Frame> frames = new ArrayList<>();
      try {
        one.feed(ByteBuffer.wrap(garbage), frames::add);
      } catch (FrameException e) {
        assertThat(e.code()).isIn(ErrorCode.FRAME_TOO_LARGE, ErrorCode.INVALID_REQUEST);
      }
      byte[] understood = stream(frames);
      assertThat(Arrays.copyOf(garbage, understood.length)).isEqualTo(understood);
    }
  }

  @Test
  void an_announced_length_alone_takes_no_memory() {
    // 400 connections that announce 8 MiB each: over 3 GiB, in a heap of one.
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(
        header, 0, Operation.WRITE.code(), FrameKind.REQUEST, 1, Limits.FRAME_BYTES_MAX - 8);
    List<FrameAssembler> connections = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      FrameAssembler connection = new FrameAssembler();
      connection.feed(ByteBuffer.wrap(header), received::add);
      assertThatCode(() -> connection.feed(ByteBuffer.allocate(1_000), received::add))
          .doesNotThrowAnyException();
      connections.add(connection);
    }
    assertThat(connections).allMatch(FrameAssembler::isMidFrame);
    assertThat(received).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 262144",
    "262144, 0, 262144",
    "262145, 0, 262145",
    "300000, 10, 300000",
    "10, 300000, 300000",
    "1048576, 0, 1048576",
    "1048577, 0, 1048576",
    "8388600, 0, 1048576"
  })
  void a_connection_is_trusted_with_as_much_as_it_has_carried_up_to_a_limit(
      int firstBytes, int secondBytes, int trustedBytes) {
    for (int bytes : new int[] {firstBytes, secondBytes}) {
      byte[] whole = stream(List.of(new Frame(0, FrameKind.PUSH, 0, new byte[bytes])));
      feed(whole, 0, whole.length);
      assertThat(assembler.heldBytes()).isZero();
    }
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, 0, FrameKind.PUSH, 0, Limits.FRAME_BYTES_MAX - 8);
    feed(header, 0, header.length);
    assertThat(assembler.heldBytes()).isEqualTo(trustedBytes);
  }

  @Test
  void a_frame_as_long_as_one_before_is_not_copied_while_it_arrives() {
    byte[] whole = stream(List.of(new Frame(0, FrameKind.PUSH, 0, new byte[300_000])));
    feed(whole, 0, whole.length);
    feed(whole, 0, Frame.HEADER_BYTES);
    assertThat(assembler.heldBytes()).isEqualTo(300_000);
    feed(whole, Frame.HEADER_BYTES, whole.length);
    assertThat(received).hasSize(2);
  }

  @Test
  void a_receiver_that_fails_loses_only_its_own_frame() {
    byte[] stream = stream(FRAMES);
    ByteBuffer in = ByteBuffer.wrap(stream);
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                assembler.feed(
                    in,
                    frame -> {
                      throw new IllegalStateException("full");
                    }));
    assembler.feed(in, received::add);
    assertReceived(FRAMES.subList(1, FRAMES.size()));
  }

  private void assertRefused(byte[] bytes, ErrorCode code, String message) {
    assertThatExceptionOfType(FrameException.class)
        .isThrownBy(() -> assembler.feed(ByteBuffer.wrap(bytes), received::add))
        .withMessageContaining(message)
        .matches(e -> e.code() == code, "code " + code);
    assertThat(received).isEmpty();
  }

  private void feed(byte[] stream, int from, int to) {
    assembler.feed(ByteBuffer.wrap(stream, from, to - from), received::add);
  }

  private void assertReceived(List<Frame> frames) {
    assertThat(assembler.isMidFrame()).isFalse();
    assertThat(received).hasSameSizeAs(frames);
    for (int i = 0; i < frames.size(); i++) {
      assertThat(received.get(i).operationCode()).isEqualTo(frames.get(i).operationCode());
      assertThat(received.get(i).operation()).isEqualTo(frames.get(i).operation());
      assertThat(received.get(i).kind()).isEqualTo(frames.get(i).kind());
      assertThat(received.get(i).correlationId()).isEqualTo(frames.get(i).correlationId());
      assertThat(received.get(i).payload()).isEqualTo(frames.get(i).payload());
    }
  }

  private static byte[] stream(List<Frame> frames) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (Frame frame : frames) {
      stream.writeBytes(frame.header());
      stream.writeBytes(frame.payload());
    }
    return stream.toByteArray();
  }
}
