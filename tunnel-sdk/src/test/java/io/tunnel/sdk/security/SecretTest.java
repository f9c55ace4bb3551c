package io.tunnel.sdk.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTest {

  private static final String TEXT = "0123456789abcdef";

  @Test
  void a_secret_is_its_bytes_in_utf8_which_are_copied() {
    byte[] bytes = "ключ".getBytes(UTF_8);
    Secret secret = Secret.ofUtf8(bytes);
    bytes[0] = 0;
    secret.utf8()[0] = 0;
    assertThat(secret.utf8()).isEqualTo("ключ".getBytes(UTF_8));
    assertThat(secret).isEqualTo(Secret.of("ключ")).isNotEqualTo(Secret.of("клюв"));
    assertThat(secret).hasSameHashCodeAs(Secret.of("клюв"));
  }

  @Test
  void a_secret_has_at_most_so_many_bytes() {
    assertThat(Secret.of("x".repeat(Secret.BYTES_MAX)).size()).isEqualTo(512);
    assertThatThrownBy(() -> Secret.of("x".repeat(Secret.BYTES_MAX + 1)))
        .hasMessage("a secret has 1 to 512 bytes, not 513");
    assertThatThrownBy(() -> Secret.of("")).hasMessageContaining("not 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"secret-of-the-test\n", "\tsecret-of-the-test", "secret\u007fof-the-test"})
  void the_end_of_a_line_that_came_along_is_said(String text) {
    assertThatThrownBy(() -> Secret.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("control character")
        .message()
        .doesNotContain("secret-of", "of-the-test");
  }

  @Test
  void the_secret_of_a_key_cannot_be_guessed() {
    assertThat(new AccessKey("k", Secret.of(TEXT)).secret().size())
        .isEqualTo(AccessKey.SECRET_BYTES_MIN);
    Secret guessed = Secret.of(TEXT.substring(1));
    assertThatThrownBy(() -> new AccessKey("k", guessed))
        .hasMessage("the secret of a key has 16 to 512 bytes, not 15");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\n", "é"})
  void the_id_of_a_key_can_be_shown(String id) {
    Secret secret = Secret.of(TEXT);
    assertThatThrownBy(() -> new AccessKey(id, secret))
        .hasMessage("the id of a key has 1 to 255 visible characters of ASCII");
  }

  @Test
  void an_id_has_at_most_so_many_characters() {
    Secret secret = Secret.of(TEXT);
    String longest = "k".repeat(AccessKey.ID_LENGTH_MAX);
    assertThat(new AccessKey(longest, secret).id()).isEqualTo(longest);
    assertThatThrownBy(() -> new AccessKey(longest + "k", secret))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void what_is_of_tls_alone_is_refused_without_it() {
    assertThatThrownBy(() -> ClientSecurity.NONE.withAuthority(Pem.text("x")))
        .hasMessage("an authority is for TLS, which is switched off");
    ClientCertificate own = new ClientCertificate.PemFiles(Path.of("a"), Path.of("b"));
    assertThatThrownBy(() -> ClientSecurity.NONE.withCertificate(own))
        .hasMessage("a certificate is for TLS, which is switched off");
    assertThat(ClientSecurity.NONE.withKey(new AccessKey("k", Secret.of(TEXT))).isTls()).isFalse();
  }

  @Test
  void what_a_program_changes_is_not_what_the_profile_says() {
    ClientSecurity read =
        new ClientSecurity(
            true, Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("p"));
    assertThat(read.withAuthority(Pem.text("x")).profile()).isEmpty();
    assertThat(read.withKey(new AccessKey("k", Secret.of(TEXT))).profile()).isEmpty();
  }

  @Test
  void no_text_shows_a_secret() {
    Secret secret = Secret.of(TEXT);
    ClientSecurity security =
        ClientSecurity.tls()
            .withAuthority(Pem.text(TEXT))
            .withKey(new AccessKey("k", secret))
            .withCertificate(new ClientCertificate.Pkcs12(Path.of("file"), secret));
    assertThat(secret).hasToString("***");
    assertThat(security.toString())
        .contains("id=k", "secret=***", "PEM of 16 characters", "password=***")
        .doesNotContain(TEXT);
  }
}
