package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Limits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;

/** What a peer sends, as bytes: frames however they are cut, and the payloads in them. */
@Tag("proof-fuzz")
class FramesFuzzTest {

  private static final List<Function<byte[], Object>> PAYLOADS =
      List.of(
          Authentication.Answer::decode,
          Authentication.Request::decode,
          ChannelEnd::decode,
          ChannelRef::decode,
          Checkpoint::decode,
          Credit::decode,
          Delivery::decode,
          EchoRequest::decode,
          ErrorPayload::decode,
          GetRowRequest::decode,
          GetRowsRequest::decode,
          Hello::decode,
          RowPage::decode,
          RangeRequest::decode,
          WriteRequest::decode,
          WriteResult::decode);

  @FuzzTest(maxDuration = "")
  void bytes_are_frames_or_refused_however_they_are_cut(FuzzedDataProvider data) {
    int cut = data.consumeInt(1, 64);
    byte[] bytes = data.consumeRemainingAsBytes();

    List<String> whole = framesOf(bytes, Math.max(1, bytes.length));

    assertThat(framesOf(bytes, cut)).isEqualTo(whole);
  }

  /** The frames of {@code bytes} that arrive {@code pieceBytes} at a time, and why they end. */
  private static List<String> framesOf(byte[] bytes, int pieceBytes) {
    List<String> seen = new ArrayList<>();
    FrameAssembler assembler = new FrameAssembler(Limits.FRAME_BYTES_MAX);
    try {
      for (int at = 0; at < bytes.length; at += pieceBytes) {
        ByteBuffer piece = ByteBuffer.wrap(bytes, at, Math.min(pieceBytes, bytes.length - at));
        assembler.feed(piece, frame -> seen.add(text(frame)));
        // A length field alone makes no decoder allocate the length.
        assertThat(assembler.heldBytes()).isLessThanOrEqualTo(256 * 1024 + 4 * bytes.length);
      }
      seen.add(assembler.isMidFrame() ? "mid frame" : "at rest");
    } catch (FrameException e) {
      seen.add(e.code() + " " + e.getMessage());
    }
    return seen;
  }

  private static String text(Frame frame) {
    StringBuilder text = new StringBuilder();
    text.append(frame.operationCode()).append(' ').append(frame.kind()).append(' ');
    text.append(frame.correlationId()).append(' ').append(frame.payload().length);
    for (Function<byte[], Object> decode : PAYLOADS) {
      try {
        text.append(decode.apply(frame.payload()) == null ? " null" : " ok");
      } catch (MalformedException e) {
        text.append(" no");
      }
    }
    return text.toString();
  }
}
