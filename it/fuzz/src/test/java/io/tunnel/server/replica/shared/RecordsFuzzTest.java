package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The header of a record with any bytes: a replica understands all of it, or holds back and names
 * why. It never takes a header for that of another program, whose record is fenced and repaired.
 */
@Tag("proof-fuzz")
class RecordsFuzzTest {

  private static final Bytes KEY = Bytes.fromHex("0102");

  static Stream<Arguments> headers() {
    return Stream.of(
            new Entry(Kind.CHANGE, KEY, 5, 6, Optional.empty()),
            new Entry(Kind.REPAIR, KEY, 5, 6, Optional.empty(), 7, Bytes.EMPTY),
            new Entry(Kind.MARKER, KEY, 0, 0, Optional.empty()),
            new Entry(Kind.CHANGE, KEY, 5, 6, Optional.empty(), 0, Bytes.fromHex("e8070101")))
        .map(entry -> Arguments.of((Object) RecordHeader.encode(entry)));
  }

  @MethodSource("headers")
  @FuzzTest(maxDuration = "")
  void a_header_is_understood_or_held_back(byte[] header) {
    Entry entry = RecordHeader.decode(header, KEY, Optional.empty());
    assertThat(RecordHeader.encode(entry)).as("nothing of it is lost").isEqualTo(header);
    boolean isKnown = true;
    try {
      RecordHeader.requireKnown(entry);
    } catch (MalformedException e) {
      isKnown = false;
      assertThat(e).hasMessageMatching("(?s).+");
    }
    assertThat(isKnown).isEqualTo(entry.kind() != Kind.NEWER);
  }
}
