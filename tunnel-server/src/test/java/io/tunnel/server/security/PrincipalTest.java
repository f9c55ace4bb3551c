package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

final class PrincipalTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "billing@example.com", "A_b-9.z"})
  void names_of_keys_are_taken(String name) {
    assertThat(Principal.ofKey(name).name()).isEqualTo(name);
    assertThat(Principal.ofKey(name).isOfCertificate()).isFalse();
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"CN=ann", "a b", "a/b", "a:b", "é", "a\n", "\u202egpj"})
  void other_names_are_not_those_of_keys(String name) {
    assertThatThrownBy(() -> Principal.ofKey(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a principal's name is 1 to 64 of A-Z a-z 0-9 _ . @ -, not ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"CN=ann", "CN=Ann Smith,O=Größe & Söhne,C=DE", "CN=😀", "CN=table:x"})
  void subjects_of_certificates_are_taken(String subject) {
    assertThat(Principal.ofCertificate(subject).name()).isEqualTo(subject);
    assertThat(new Principal(subject).isOfCertificate()).isTrue();
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"ann", "=x", "group:CN=x", "table:a=b", "CN=a\nb", "CN=a\u202eb"})
  void other_subjects_are_not_those_of_certificates(String subject) {
    assertThatThrownBy(() -> Principal.ofCertificate(subject))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a certificate's subject is 1 to 255 printable characters");
  }

  @Test
  void half_of_a_character_is_not_printable() {
    assertThatThrownBy(() -> Principal.ofCertificate("CN=\ud83d"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void names_are_as_long_as_they_may_be_and_not_longer() {
    String key = "k".repeat(Principal.KEY_NAME_CHARS_MAX);
    assertThat(Principal.ofKey(key)).hasToString(key);
    assertThatThrownBy(() -> Principal.ofKey(key + "k")).hasMessageContaining("1 to 64");
    String subject = "CN=" + "s".repeat(Principal.CERTIFICATE_NAME_CHARS_MAX - 3);
    assertThat(Principal.ofCertificate(subject)).hasToString(subject);
    assertThatThrownBy(() -> Principal.ofCertificate(subject + "s"))
        .hasMessageContaining("1 to 255");
  }

  @Test
  void a_message_shows_the_beginning_of_what_was_refused_without_controls() {
    assertThatThrownBy(() -> Principal.ofKey("a\u001b[2J" + "x".repeat(1_000)))
        .hasMessageEndingWith("not 'a?[2J" + "x".repeat(75) + "…'");
  }
}
