package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The agreement of two peers of all versions. */
class HelloTest {

  private static final Capabilities FIRST = versions(1, 1);

  private static Capabilities versions(int min, int max, String... features) {
    return new Capabilities(min, max, List.of(features));
  }

  /** What both sides go on with when the bytes go there and back. */
  private static Agreement agreed(Capabilities client, Capabilities server) {
    Hello request = Hello.decode(Hello.request(client, "client").encode());
    Agreement ofServer = request.accept(server);
    Hello answer = Hello.decode(Hello.answer(ofServer, server, "server").encode());
    assertThat(answer.confirm(client)).isEqualTo(ofServer);
    return ofServer;
  }

  @Test
  void the_greatest_common_version_and_the_common_features_are_agreed_on() {
    assertThat(agreed(FIRST, FIRST)).isEqualTo(new Agreement(1, List.of()));
    assertThat(agreed(versions(1, 4, "a", "b", "c"), versions(2, 3, "c", "d", "b")))
        .isEqualTo(new Agreement(3, List.of("b", "c")));
    assertThat(agreed(versions(2, 2), versions(1, 9))).isEqualTo(new Agreement(2, List.of()));
    assertThat(agreed(versions(1, 9), versions(9, 20))).isEqualTo(new Agreement(9, List.of()));
  }

  @Test
  void peers_without_a_common_version_are_told_what_each_speaks() {
    for (Capabilities client : List.of(versions(3, 5), versions(9, 9))) {
      Hello request = Hello.request(client, "client");
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> request.accept(versions(6, 8)))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION))
          .withMessageContaining("versions 6 to 8")
          .withMessageContaining(client.versions());
    }
  }

  @Test
  void an_answer_with_a_version_that_was_not_offered_is_refused_by_the_client() {
    Hello answer = new Hello(7, "server", versions(5, 7));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> answer.confirm(versions(1, 2)))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION))
        .withMessageContaining("this client speaks versions 1 to 2")
        .withMessageContaining("version 7")
        .withMessageContaining("versions 5 to 7");
  }

  @Test
  void the_largest_greeting_fits_what_a_stranger_may_send() {
    List<String> features =
        IntStream.range(0, Capabilities.FEATURES_MAX)
            .mapToObj(i -> "f".repeat(62) + (10 + i))
            .toList();
    Hello largest = Hello.request(new Capabilities(0, 65_535, features), "n".repeat(10_000));
    byte[] payload = largest.encode();
    assertThat(payload.length).isLessThan(4_096 - Frame.HEADER_BYTES);
    assertThat(Hello.decode(payload).capabilities()).isEqualTo(largest.capabilities());
  }

  @Test
  void what_no_peer_speaks_is_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> versions(2, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> versions(-1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> versions(1, 65_536));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Capabilities(1, 1, Collections.nCopies(33, "f")));
    for (String feature : List.of("", "A", "a b", "f".repeat(65), "ä")) {
      assertThatIllegalArgumentException().isThrownBy(() -> versions(1, 1, feature));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> new Hello(1, "a\0b", FIRST));
    assertThatIllegalArgumentException().isThrownBy(() -> new Hello(3, "x", versions(1, 2)));
  }

  @Test
  void a_cut_greeting_is_refused() {
    byte[] whole = Hello.request(versions(1, 3, "some", "other"), "client").encode();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> Hello.decode(cut));
    }
  }

  @Test
  void a_greeting_of_a_build_before_the_first_release_is_refused_by_name() {
    byte[] request = Hello.request(FIRST, "client").encode();
    byte[] former = Arrays.copyOf(request, 12);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Hello.decode(former))
        .withMessageContaining("a build before 0.1.0 sent it");
  }
}
