package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access keys and HTTP tokens. */
final class CredentialsTest {

  private static final Principal ANN = Principal.ofKey("ann");
  private static final String KEY_ID = "tkaaaaaaaaaaaaaaa7";
  private static final String TOKEN_ID = "thaaaaaaaaaaaaaaa7";
  private static final Bytes HASH = HttpToken.hashOf("token");

  @Test
  void ids_are_80_bits_in_base_32() {
    assertThat(AccessKey.idOf(Bytes.fromHex("00000000000000000000")))
        .isEqualTo("tkaaaaaaaaaaaaaaaa");
    assertThat(AccessKey.idOf(Bytes.fromHex("ffffffffffffffffffff")))
        .isEqualTo("tk7777777777777777");
    assertThat(HttpToken.idOf(Bytes.fromHex("00443214c74254b635cf")))
        .isEqualTo("thabcdefghijklmnop");
    assertThatThrownBy(() -> AccessKey.idOf(Bytes.fromHex("00")))
        .hasMessage("an id is made of 10 bytes, not 1");
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(
      strings = {
        "tk",
        "tkaaaaaaaaaaaaaaa",
        "tkaaaaaaaaaaaaaaaaa",
        "tkaaaaaaaaaaaaaaa1",
        "tkAAAAAAAAAAAAAAAA",
        "tx/../aaaaaaaaaaaa"
      })
  void other_ids_are_refused(String id) {
    assertThatThrownBy(() -> AccessKey.requireId(id))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a key's id is tk and 16 of a-z 2-7, not ");
    assertThatThrownBy(() -> HttpToken.requireId(id))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a token's id is th and 16 of a-z 2-7, not ");
  }

  @Test
  void a_key_has_two_secrets_while_it_is_rotated() {
    AccessKey key = AccessKey.of(KEY_ID, ANN, "s1", 5);
    assertThat(key.sealedSecrets()).containsExactly("s1");
    assertThat(key.isRevoked()).isFalse();
    AccessKey rotated = key.rotated("s2");
    assertThat(rotated.sealedSecrets()).containsExactly("s2", "s1");
    assertThat(rotated.rotated("s3").sealedSecrets()).containsExactly("s3", "s2");
    assertThat(rotated.settled().sealedSecrets()).containsExactly("s2");
    assertThat(rotated.revoked().isRevoked()).isTrue();
    assertThat(rotated.revoked().sealedSecrets()).containsExactly("s2", "s1");
  }

  @Test
  void a_key_without_a_secret_with_a_third_one_or_for_a_certificate_is_refused() {
    assertThatThrownBy(() -> new AccessKey(KEY_ID, ANN, List.of(), 0, false))
        .hasMessage("a key has 1 to 2 secrets, not 0");
    assertThatThrownBy(() -> new AccessKey(KEY_ID, ANN, List.of("a", "b", "c"), 0, false))
        .hasMessage("a key has 1 to 2 secrets, not 3");
    assertThatThrownBy(() -> AccessKey.of(KEY_ID, new Principal("CN=ann"), "s", 0))
        .hasMessageContaining("not for the certificate of CN=ann");
  }

  @Test
  void secrets_are_not_shown() {
    assertThat(AccessKey.of(KEY_ID, ANN, "s1", 5)).hasToString("AccessKey[" + KEY_ID + " of ann]");
    assertThat(AccessKey.of(KEY_ID, ANN, "s1", 5).revoked())
        .hasToString("AccessKey[" + KEY_ID + " of ann, revoked]");
  }

  @Test
  void a_token_is_known_by_the_hash_of_its_text() {
    Bytes token = Bytes.fromHex("fb".repeat(HttpToken.TOKEN_BYTES));
    String text = HttpToken.textOf(token);
    assertThat(text).hasSize(43).matches("[A-Za-z0-9_-]+");
    assertThat(HttpToken.hashOf(text)).isEqualTo(HttpToken.hashOf(text));
    assertThat(HttpToken.hashOf(text)).isNotEqualTo(HttpToken.hashOf(text + "="));
    assertThat(HttpToken.hashOf("abc"))
        .hasToString("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThatThrownBy(() -> HttpToken.textOf(Bytes.EMPTY))
        .hasMessage("a token has 32 bytes, not 0");
  }

  @Test
  void a_token_ends_when_it_is_to_and_not_before() {
    HttpToken token = new HttpToken(TOKEN_ID, ANN, HASH, 5, Optional.of(10L));
    assertThat(token.isExpired(9)).isFalse();
    assertThat(token.isExpired(10)).isTrue();
    assertThat(new HttpToken(TOKEN_ID, ANN, HASH, 5, Optional.empty()).isExpired(Long.MAX_VALUE))
        .isFalse();
    assertThatThrownBy(() -> new HttpToken(TOKEN_ID, ANN, HASH, 5, Optional.of(5L)))
        .hasMessage("a token that was made at 5 ms cannot end at 5");
    assertThatThrownBy(() -> new HttpToken(TOKEN_ID, ANN, Bytes.EMPTY, 5, Optional.empty()))
        .hasMessage("the hash of a token has 32 bytes, not 0");
  }
}
