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
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The agreement of two peers of all versions. */
class HelloTest {

  private static final Capabilities FIRST = Capabilities.only(1);

  private static Capabilities versions(int min, int max, String... features) {
    return new Capabilities(min, max, List.of(features));
  }

  /** What both sides go on with when the bytes go there and back. */
  private static Agreement agreed(Capabilities client, Capabilities server) {
    Hello request = Hello.decode(Hello.request(client, "client").encode());
    Agreement ofServer = request.accept(server);
    Hello answer = Hello.decode(request.answer(ofServer, server, "server").encode());
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
    Hello answer = new Hello(7, "server", Optional.of(versions(5, 7)));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> answer.confirm(versions(1, 2)))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION))
        .withMessageContaining("this client speaks versions 1 to 2")
        .withMessageContaining("version 7")
        .withMessageContaining("versions 5 to 7");
  }

  @Test
  void a_client_of_the_first_form_is_answered_in_it() {
    Hello request = Hello.decode(new Hello(1, "client of yesterday").encode());
    Agreement agreed = request.accept(versions(1, 3, "some"));
    assertThat(agreed).isEqualTo(new Agreement(1, List.of()));
    assertThat(request.answer(agreed, versions(1, 3, "some"), "server").encode())
        .isEqualTo(new Hello(1, "server").encode());
  }

  /** A server of the first form compared the version with its own, and took the rest as a name. */
  @Test
  void a_server_of_the_first_form_is_asked_for_the_smallest_version_and_answers_without_more() {
    byte[] request = Hello.request(versions(1, 3, "some"), "client").encode();
    assertThat(Arrays.copyOf(request, 12)).isEqualTo(new Hello(1, "client").encode());
    Hello answer = Hello.decode(new Hello(1, "server of yesterday").encode());
    assertThat(answer.confirm(versions(1, 3, "some"))).isEqualTo(new Agreement(1, List.of()));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> answer.confirm(versions(2, 3)))
        .withMessageContaining("version 1");
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
    assertThatIllegalArgumentException().isThrownBy(() -> new Hello(1, "a\0b"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Hello(3, "x", Optional.of(versions(1, 2))));
  }

  @Test
  void a_cut_greeting_is_refused_or_one_of_the_first_form() {
    byte[] whole = Hello.request(versions(1, 3, "some", "other"), "client").encode();
    int nameEnd = new Hello(1, "client").encode().length;
    for (int length = nameEnd + 1; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> Hello.decode(cut));
    }
    for (int length = 6; length <= nameEnd; length++) {
      assertThat(Hello.decode(Arrays.copyOf(whole, length)).capabilities()).isEmpty();
    }
  }
}
