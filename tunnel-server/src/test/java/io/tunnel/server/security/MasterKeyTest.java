package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MasterKeyTest {

  private static final String ID = "tkaaaaaaaaaaaaaaaa";
  private static final String HEX = "00112233445566778899aabbccddeeff".repeat(2);

  private final Random random = new Random(1);
  private final MasterKey key = MasterKey.parse(HEX, this::chance);
  private final byte[] secret = "a secret of 32 bytes for a key..".getBytes(StandardCharsets.UTF_8);

  private Bytes chance(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return Bytes.copyOf(bytes);
  }

  @Test
  void what_was_sealed_is_opened() throws Exception {
    String sealed = key.seal(secret, ID);
    assertThat(key.open(sealed, ID)).isEqualTo(secret);
    assertThat(MasterKey.of(Bytes.fromHex(HEX), this::chance).open(sealed, ID)).isEqualTo(secret);
  }

  @Test
  void the_form_of_what_is_sealed_stays() throws Exception {
    MasterKey drawn = MasterKey.parse(HEX, count -> Bytes.copyOf(new byte[count]));
    String sealed =
        "AQAAAAAAAAAAAAAAAKrSQcu7b4Z1sTnvHi/K08trR4m2pyxLqxDCZ8D3gZ3nnGUZfi4lZm11U/voGb1XCg==";
    assertThat(drawn.seal(secret, ID)).isEqualTo(sealed);
    assertThat(key.open(sealed, ID)).isEqualTo(secret);
  }

  @Test
  void each_seal_has_a_nonce_of_its_own() {
    Set<String> sealed = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      sealed.add(key.seal(secret, ID));
    }
    assertThat(sealed).hasSize(100);
  }

  @Test
  void what_another_master_key_has_sealed_is_told() {
    String sealed = key.seal(secret, ID);
    MasterKey other = MasterKey.parse("11".repeat(MasterKey.KEY_BYTES), this::chance);
    assertThatThrownBy(() -> other.open(sealed, ID))
        .isInstanceOf(MasterKey.SealException.class)
        .hasMessageContaining("the secret of " + ID + " was sealed with another master key");
  }

  @Test
  void a_secret_cannot_be_put_in_the_place_of_that_of_another_key() {
    String sealed = key.seal(secret, ID);
    assertThatThrownBy(() -> key.open(sealed, "tkbbbbbbbbbbbbbbbb"))
        .isInstanceOf(MasterKey.SealException.class)
        .hasMessageContaining("or for another access key");
  }

  @Test
  void every_changed_bit_is_noticed() {
    byte[] sealed = Base64.getDecoder().decode(key.seal(secret, ID));
    for (int bit = 0; bit < sealed.length * Byte.SIZE; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      String text = Base64.getEncoder().encodeToString(changed);
      assertThatThrownBy(() -> key.open(text, ID)).isInstanceOf(MasterKey.SealException.class);
    }
  }

  @Test
  void every_shorter_text_is_refused() {
    byte[] sealed = Base64.getDecoder().decode(key.seal(secret, ID));
    IntStream.range(0, sealed.length)
        .forEach(
            length -> {
              byte[] shorter = Bytes.copyOf(sealed, 0, length).toByteArray();
              String text = Base64.getEncoder().encodeToString(shorter);
              assertThatThrownBy(() -> key.open(text, ID))
                  .isInstanceOf(MasterKey.SealException.class);
            });
    assertThatThrownBy(() -> key.open("not base64!", ID))
        .isInstanceOf(MasterKey.SealException.class)
        .hasMessageContaining("is not base64");
    assertThatThrownBy(() -> key.open("", ID))
        .isInstanceOf(MasterKey.SealException.class)
        .hasMessageContaining("not sealed by this version");
  }

  @Test
  void it_is_read_from_hexadecimal_digits_and_from_base64_and_blanks_around_do_not_count()
      throws Exception {
    String sealed = key.seal(secret, ID);
    String base64 = Base64.getEncoder().encodeToString(Bytes.fromHex(HEX).toByteArray());
    for (String text :
        new String[] {HEX, HEX.toUpperCase(Locale.ROOT), " " + HEX + "\r\n", base64}) {
      assertThat(MasterKey.parse(text, this::chance).open(sealed, ID)).isEqualTo(secret);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "secret-secret-secret", "AAAA"})
  void other_texts_are_refused_and_not_shown(String text) {
    assertThatThrownBy(() -> MasterKey.parse(text, this::chance))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessage(
            "a master key is 64 hexadecimal digits, or the base64 of 32 bytes;"
                + " a text of "
                + text.length()
                + " characters was given that is neither");
    assertThatThrownBy(() -> MasterKey.parse("g" + HEX.substring(1), this::chance))
        .hasNoCause()
        .hasMessageContaining("a text of 64 characters");
  }

  @Test
  void a_key_has_32_bytes() {
    assertThatThrownBy(() -> MasterKey.of(Bytes.copyOf(new byte[31]), this::chance))
        .hasMessage("a master key has 32 bytes, not 31");
    assertThatThrownBy(() -> MasterKey.of(Bytes.copyOf(new byte[33]), this::chance))
        .hasMessage("a master key has 32 bytes, not 33");
  }

  @Test
  void it_is_not_shown() {
    assertThat(key).hasToString("MasterKey");
  }
}
