package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.GoldenFile;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Answer;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.Authentication.Request;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AuthenticationTest {

  private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final Bytes CLIENT_NONCE = counting(0);
  private static final Bytes SERVER_NONCE = counting(32);
  private static final AuthenticationProof SEEN =
      new AuthenticationProof(
          "tk0",
          CLIENT_NONCE,
          SERVER_NONCE,
          AuthenticationProof.binding("certificate".getBytes(StandardCharsets.US_ASCII)));

  private static Bytes counting(int from) {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return Bytes.copyOf(bytes);
  }

  private static Arguments payload(
      String file, Authentication value, Function<byte[], Authentication> decoder) {
    return Arguments.of(file, value, decoder);
  }

  /** The proofs in the files were computed by another implementation of HMAC-SHA-256. */
  private static Stream<Arguments> payloads() {
    return Stream.of(
        payload("begin", new Begin("tk0", CLIENT_NONCE), Request::decode),
        payload("challenge", new Challenge(SERVER_NONCE), Answer::decode),
        payload("prove", new Prove(SEEN.ofClient(SECRET)), Request::decode),
        payload("accepted", new Accepted(SEEN.ofServer(SECRET), "ada"), Answer::decode));
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void a_payload_has_the_bytes_of_version_1(
      String file, Authentication value, Function<byte[], Authentication> decoder) {
    byte[] golden = GoldenFile.bytes("v1/payload-authenticate-" + file + ".hex");
    assertThat(Bytes.copyOf(value.encode())).isEqualTo(Bytes.copyOf(golden));
    assertThat(decoder.apply(golden)).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void a_payload_that_is_cut_or_longer_is_refused(
      String file, Authentication value, Function<byte[], Authentication> decoder) {
    byte[] whole = value.encode();
    for (int length = 0; length <= whole.length + 1; length++) {
      if (length != whole.length) {
        byte[] other = Arrays.copyOf(whole, length);
        assertThatExceptionOfType(MalformedException.class)
            .as("%s of %d bytes", file, length)
            .isThrownBy(() -> decoder.apply(other));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void a_payload_with_a_flipped_bit_is_another_one_or_refused(
      String file, Authentication value, Function<byte[], Authentication> decoder) {
    for (int bit = 0; bit < value.encode().length * 8; bit++) {
      byte[] flipped = value.encode();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        assertThat(decoder.apply(flipped)).as("%s, bit %d", file, bit).isNotEqualTo(value);
      } catch (MalformedException e) {
        assertThat(e).hasMessageMatching(".*(authenticat|name|UTF-8).*");
      }
    }
  }

  @Test
  void a_name_has_1_to_255_bytes() {
    assertThat(new Begin("k".repeat(255), CLIENT_NONCE).encode()).hasSize(1 + 2 + 255 + 32);
    for (String name : new String[] {"", "k".repeat(256), "é".repeat(128)}) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> new Begin(name, CLIENT_NONCE))
          .withMessageContaining("1 to 255 bytes");
    }
  }

  @Test
  void a_proof_is_of_one_side_one_secret_and_everything_that_was_seen() {
    Bytes proof = SEEN.ofClient(SECRET);
    Bytes other = counting(1);
    assertThat(AuthenticationProof.areEqual(proof, SEEN.ofClient(SECRET.clone()))).isTrue();
    assertThat(
            Stream.of(
                SEEN.ofServer(SECRET),
                SEEN.ofClient("0123456789abcdeF".getBytes(StandardCharsets.US_ASCII)),
                new AuthenticationProof("tk1", CLIENT_NONCE, SERVER_NONCE, SEEN.binding())
                    .ofClient(SECRET),
                new AuthenticationProof("tk0", other, SERVER_NONCE, SEEN.binding())
                    .ofClient(SECRET),
                new AuthenticationProof("tk0", CLIENT_NONCE, other, SEEN.binding())
                    .ofClient(SECRET),
                new AuthenticationProof(
                        "tk0", CLIENT_NONCE, SERVER_NONCE, AuthenticationProof.NO_CHANNEL)
                    .ofClient(SECRET)))
        .noneMatch(one -> AuthenticationProof.areEqual(one, proof));
  }
}
