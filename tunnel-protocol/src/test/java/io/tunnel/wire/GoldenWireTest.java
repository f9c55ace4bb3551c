package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.GoldenFile;
import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Direction;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.WriteResult.Rejection;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Renewal;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames and payloads against the bytes that version 1 sent. */
class GoldenWireTest {

  /** With the grant that the server's ChannelGrantsTest has. */
  private static final Renewal RENEWAL =
      new Renewal(
          3,
          5,
          Bytes.fromHex(
              "b0ba940f4b897ccaa5ac5483a27d6d3c"
                  + "0100000000000000030000000000000009800000000000000"
                  + "00000018bcfe56800000000000000927c000473796e63"));

  private static final Bytes KEY = Bytes.fromHex("038000000000000001");

  private static Stream<Arguments> frames() {
    return Stream.of(
        Arguments.of(
            "v1/frame-request.hex",
            new Frame(
                Operation.CHECKPOINT,
                FrameKind.REQUEST,
                0x01020304,
                new Checkpoint(3, 5, 1_000).encode())),
        Arguments.of(
            "v1/frame-response.hex",
            new Frame(Operation.CHECKPOINT, FrameKind.RESPONSE, 0x01020304, new byte[0])),
        Arguments.of(
            "v1/frame-error.hex",
            new Frame(
                Operation.CHECKPOINT,
                FrameKind.ERROR,
                0x01020304,
                new ErrorPayload(ErrorCode.FENCED, "epoch 5 is over").encode())),
        Arguments.of(
            "v1/frame-push.hex",
            new Frame(Operation.CREDIT, FrameKind.PUSH, 0, new Credit(3, 5, 65_536).encode())),
        Arguments.of(
            "v1/frame-settled.hex",
            new Frame(Operation.SETTLED, FrameKind.PUSH, 0, new ChannelEnd(3, 5, 1_002).encode())),
        Arguments.of(
            "v1/frame-renew.hex", new Frame(Operation.RENEW, FrameKind.PUSH, 0, RENEWAL.encode())));
  }

  @ParameterizedTest
  @MethodSource("frames")
  void a_frame_has_the_bytes_of_version_1(String file, Frame frame) {
    byte[] bytes = GoldenFile.bytes(file);
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoded.writeBytes(frame.header());
    encoded.writeBytes(frame.payload());
    assertThat(Bytes.copyOf(encoded.toByteArray())).isEqualTo(Bytes.copyOf(bytes));

    List<Frame> read = new ArrayList<>();
    new FrameAssembler().feed(ByteBuffer.wrap(bytes), read::add);
    assertThat(read).hasSize(1);
    assertThat(read.get(0).operation()).isEqualTo(frame.operation());
    assertThat(read.get(0).kind()).isEqualTo(frame.kind());
    assertThat(read.get(0).correlationId()).isEqualTo(frame.correlationId());
    assertThat(read.get(0).payload()).isEqualTo(frame.payload());
  }

  private static Stream<Arguments> payloads() {
    Hello hello = Hello.request(new Capabilities(1, 3, List.of("some", "other")), "tunnel-sdk");
    ErrorPayload error = new ErrorPayload(ErrorCode.BUSY, "später");
    GetRowRequest getRow = new GetRowRequest(3, KEY);
    RangeRequest range = new RangeRequest(3, Direction.BACKWARD, 100, 65_536, KEY, Bytes.EMPTY);
    GetRowRequest getStrictly = new GetRowRequest(3, KEY, ReadTerms.STRICT);
    RangeRequest rangeStrictly =
        new RangeRequest(3, Direction.BACKWARD, 100, 65_536, KEY, Bytes.EMPTY, ReadTerms.STRICT);
    ReadTerms chosen =
        new ReadTerms(
            false,
            RowSelection.ALL
                .where(Condition.parse("v = 7"))
                .withColumns("v", "note")
                .withCommitTimes());
    GetRowsRequest getRows =
        new GetRowsRequest(3, List.of(KEY, KeyCodec.encode(PrimaryKeyValue.fromLong(2))), chosen);
    WriteResult written =
        new WriteResult(1_000, 2, List.of(new Rejection(1, ErrorCode.CONDITION_FAILED)));
    ChannelRef ref = new ChannelRef(3, 5);
    LookRequest look = WireSamples.look();
    LookAnswer looked = WireSamples.looked();
    EchoRequest echo = new EchoRequest(true, Bytes.fromHex("70696e67"));
    ChannelEnd end = new ChannelEnd(3, 5, 1_002);
    return Stream.of(
        payload("v1/payload-hello.hex", hello, hello.encode(), Hello::decode),
        payload("v1/payload-error.hex", error, error.encode(), ErrorPayload::decode),
        payload("v1/payload-get-row.hex", getRow, getRow.encode(), GetRowRequest::decode),
        payload("v1/payload-get-rows.hex", getRows, getRows.encode(), GetRowsRequest::decode),
        payload("v1/payload-range-request.hex", range, range.encode(), RangeRequest::decode),
        payload(
            "v1/payload-get-row-strict.hex",
            getStrictly,
            getStrictly.encode(),
            GetRowRequest::decode),
        payload(
            "v1/payload-range-request-strict.hex",
            rangeStrictly,
            rangeStrictly.encode(),
            RangeRequest::decode),
        payload("v1/payload-look.hex", look, look.encode(), LookRequest::decode),
        payload("v1/payload-look-answer.hex", looked, looked.encode(), LookAnswer::decode),
        payload("v1/payload-write-result.hex", written, written.encode(), WriteResult::decode),
        payload("v1/payload-echo.hex", echo, echo.encode(), EchoRequest::decode),
        payload("v1/payload-channel-ref.hex", ref, ref.encode(), ChannelRef::decode),
        payload("v1/payload-channel-end.hex", end, end.encode(), ChannelEnd::decode),
        payload("v1/payload-renewal.hex", RENEWAL, RENEWAL.encode(), Renewal::decode));
  }

  private static <T> Arguments payload(
      String file, T value, byte[] encoded, Function<byte[], T> decoder) {
    return Arguments.of(file, value, encoded, decoder);
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void a_payload_has_the_bytes_of_version_1(
      String file, Object value, byte[] encoded, Function<byte[], ?> decoder) {
    byte[] bytes = GoldenFile.bytes(file);
    assertThat(Bytes.copyOf(encoded)).isEqualTo(Bytes.copyOf(bytes));
    assertThat((Object) decoder.apply(bytes)).isEqualTo(value);
  }

  @Test
  void what_stands_before_a_batch_has_the_bytes_of_version_1() {
    byte[] batch = GoldenFile.bytes("v1/batch.hex");
    byte[] write = new byte[WriteRequest.PREFIX_BYTES + batch.length];
    WriteRequest.writePrefix(write, 0, 3, Optional.of(Durability.OS));
    assertBeforeBatch("v1/payload-write-prefix.hex", write, batch);

    byte[] delivery = new byte[Delivery.PREFIX_BYTES + batch.length];
    Delivery.writePrefix(delivery, 0, 3, 5, 1_001);
    assertBeforeBatch("v1/payload-delivery-prefix.hex", delivery, batch);

    byte[] page =
        RowPage.encode(
            Optional.of(KEY), new RowPage.Looked(2_000, 65_536), batch, Optional.empty());
    assertBeforeBatch("v1/payload-row-page-prefix.hex", page, batch);
  }

  private static void assertBeforeBatch(String file, byte[] payload, byte[] batch) {
    Bytes golden = Bytes.copyOf(GoldenFile.bytes(file));
    assertThat(Bytes.copyOf(payload, 0, payload.length - batch.length)).isEqualTo(golden);
  }

  @Test
  void control_payloads_have_the_text_of_today() {
    List<String> lines = GoldenFile.text("v1/control.txt").lines().toList();
    List<Control> samples = PayloadSamples.all().toList();
    assertThat(lines)
        .containsExactlyElementsOf(
            samples.stream()
                .map(sample -> sample.getClass().getSimpleName() + " " + JsonPayloads.text(sample))
                .toList());
  }
}
