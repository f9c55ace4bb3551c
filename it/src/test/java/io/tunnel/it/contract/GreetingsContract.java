package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.RawClient;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Capabilities;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How clients of today and tomorrow are greeted. */
abstract class GreetingsContract extends Contract {

  private static final int HELLO = Operation.HELLO.code();
  private static final int GREATEST = Protocol.SPOKEN.versionMax();

  private Hello greeted(byte[] hello) {
    try (RawClient raw = RawClient.silent(subject().port())) {
      Frame answer = raw.ask(HELLO, hello);
      assertThat(answer.kind()).isEqualTo(FrameKind.RESPONSE);
      raw.requireOpen();
      return Hello.decode(answer.payload());
    }
  }

  private ErrorPayload refused(byte[] hello) {
    subject().expectMisconduct();
    try (RawClient raw = RawClient.silent(subject().port())) {
      raw.send(RawClient.bytesOf(HELLO, FrameKind.REQUEST, 7, hello));
      return raw.closedWith(HELLO, 7);
    }
  }

  private static byte[] hello(int versionMin, int versionMax, List<String> features) {
    return Hello.request(new Capabilities(versionMin, versionMax, features), "raw").encode();
  }

  @Test
  void an_echo_is_repeated_or_only_acknowledged_up_to_its_bound() {
    try (RawClient raw = RawClient.greeted(subject().port())) {
      byte[] most = new byte[EchoRequest.DATA_BYTES_MAX];
      Arrays.fill(most, (byte) 0xc3);
      Bytes data = Bytes.copyOf(most);
      assertThat(raw.request(Operation.ECHO, new EchoRequest(true, data).encode())).isEqualTo(most);
      assertThat(raw.request(Operation.ECHO, new EchoRequest(false, data).encode())).isEmpty();
      assertThat(raw.request(Operation.ECHO, new EchoRequest(true, Bytes.EMPTY).encode()))
          .isEmpty();

      subject().expectMisconduct();
      assertThat(raw.refused(Operation.ECHO, new byte[0]).message()).contains("request to echo");
      assertThat(raw.refused(Operation.ECHO, new byte[] {2}).code())
          .isEqualTo(ErrorCode.INVALID_REQUEST);
      byte[] tooMany = new byte[EchoRequest.DATA_BYTES_MAX + 2];
      assertThat(raw.refused(Operation.ECHO, tooMany).message()).contains("ECHO takes 65537");
      raw.requireOpen();
    }
  }

  @Test
  void a_client_from_before_the_first_release_is_refused_by_name() {
    ErrorPayload error = refused(Bytes.fromHex("544e4c310001726177").toByteArray());
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(error.message()).contains("a build before 0.1.0 sent it");
  }

  @Test
  void the_greatest_version_that_both_speak_is_agreed_on() {
    for (int versionMin : new int[] {0, 1}) {
      for (int versionMax : new int[] {GREATEST, GREATEST + 1, 0xffff}) {
        Hello answer = greeted(hello(versionMin, versionMax, List.of()));
        assertThat(answer.version()).isEqualTo(GREATEST);
        assertThat(answer.capabilities()).isEqualTo(Protocol.SPOKEN);
      }
    }
  }

  @Test
  void a_client_that_speaks_no_version_of_the_server_is_told_what_both_speak() {
    int next = GREATEST + 1;
    ErrorPayload error = refused(hello(next, next + 1, List.of()));
    assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(error.message())
        .contains("this server speaks version 1 of the protocol")
        .contains("the client versions " + next + " to " + (next + 1));
    for (int version : new int[] {0, next, 0xffff}) {
      error = refused(hello(version, version, List.of()));
      assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
      assertThat(error.message()).contains("the client version " + version);
    }
  }

  @Test
  void features_that_nobody_knows_are_as_good_as_none_up_to_the_largest_greeting() {
    List<String> features =
        IntStream.range(0, Capabilities.FEATURES_MAX)
            .mapToObj(i -> "f".repeat(62) + (10 + i))
            .toList();
    Hello answer = greeted(hello(1, GREATEST, features));
    assertThat(answer.capabilities()).isEqualTo(Protocol.SPOKEN);
  }

  @Test
  void what_a_later_greeting_says_behind_the_features_is_skipped() {
    byte[] hello = hello(1, GREATEST, List.of("later"));
    byte[] later = Arrays.copyOf(hello, hello.length + 1_000);
    assertThat(greeted(later).version()).isEqualTo(GREATEST);
  }

  @Test
  void a_greeting_that_cannot_be_is_refused_and_says_why() {
    byte[] none = hello(1, 1, List.of());
    byte[] cutOff = Arrays.copyOf(none, none.length - 1);
    assertThat(refused(cutOff).message()).contains("cut off");
    byte[] tooMany = Arrays.copyOf(none, none.length + 2 * 33);
    for (int i = 0; i < 33; i++) {
      tooMany[none.length + 2 * i] = 1;
      tooMany[none.length + 2 * i + 1] = 'f';
    }
    tooMany[none.length - 1] = 33;
    assertThat(refused(tooMany).message()).contains("33 features; at most 32");
    byte[] emptyRange = hello(1, 2, List.of());
    emptyRange[emptyRange.length - 2] = 0;
    ErrorPayload error = refused(emptyRange);
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(error.message()).contains("versions from 1 to 0");
  }
}
