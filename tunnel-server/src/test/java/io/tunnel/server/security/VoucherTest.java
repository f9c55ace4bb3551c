package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Authentication.Begin;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VoucherTest {

  private static final long NOW_MS = 1_764_193_000_000L;
  private static final Principal ALICE = Principal.ofKey("alice");

  private static Voucher of(Principal principal, String address, String node) {
    return new Voucher(principal, address, node, NOW_MS + Voucher.LIFE_MS);
  }

  private static Voucher ofAlice() {
    return of(ALICE, "10.0.0.7", "n1");
  }

  private static MasterKey master(int each) {
    byte[] bytes = new byte[MasterKey.KEY_BYTES];
    Arrays.fill(bytes, (byte) each);
    return MasterKey.of(Bytes.copyOf(bytes), count -> Bytes.copyOf(new byte[count]));
  }

  @Test
  void its_key_id_says_all() {
    assertThat(ofAlice().keyId()).isEqualTo("vouch:1764193060000/n1/10.0.0.7/alice");
    assertThat(ofAlice().origin()).isEqualTo("via n1 from 10.0.0.7");
    assertThat(Voucher.read(ofAlice().keyId())).contains(ofAlice());
  }

  @Test
  void its_secret_stays_so_that_nodes_of_two_versions_understand_each_other() {
    assertThat(master(0x5a).voucherSecret(ofAlice().keyId()).toString())
        .isEqualTo("a697387639a448143fb314ba68ba10763e9357097379eabb2328d33154e70a5f");
  }

  @Test
  void two_vouchers_never_have_one_key_id() {
    Random random = new Random(7);
    List<String> nodes = List.of("n1", "n", "1", "n1-10_0_0_7");
    List<String> addresses = List.of("10.0.0.7", "::1", "fe80::1:2", "7");
    List<String> names = List.of("alice", "CN=a/b", "CN=/10.0.0.7/alice", "CN=n1,O=//", "a");
    Map<String, Voucher> seen = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      Voucher voucher =
          new Voucher(
              new Principal(names.get(random.nextInt(names.size()))),
              addresses.get(random.nextInt(addresses.size())),
              nodes.get(random.nextInt(nodes.size())),
              random.nextInt(3));
      assertThat(seen.computeIfAbsent(voucher.keyId(), unused -> voucher)).isEqualTo(voucher);
      assertThat(Voucher.read(voucher.keyId())).contains(voucher);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "vouch:",
        "vouch:1/n1/10.0.0.7",
        "vouch:1/n1/10.0.0.7/",
        "vouch:/n1/10.0.0.7/alice",
        "vouch:01/n1/10.0.0.7/alice",
        "vouch:+1/n1/10.0.0.7/alice",
        "vouch:-1/n1/10.0.0.7/alice",
        "vouch:99999999999999999999/n1/10.0.0.7/alice",
        "vouch:1//10.0.0.7/alice",
        "vouch:1/n 1/10.0.0.7/alice",
        "vouch:1/n1//alice",
        "vouch:1/n1/example.com/alice",
        "vouch:1/n1/10.0.0.7/al ice",
        "vouch:1/n1/10.0.0.7/alice/bob",
        "VOUCH:1/n1/10.0.0.7/alice",
        "tkaaaaaaaaaaaaaaaa"
      })
  void other_texts_are_no_vouchers(String keyId) {
    assertThat(Voucher.read(keyId)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.7 and more",
        "evil\n",
        "localhost",
        "1234567890123456789012345678901234567890123456"
      })
  void an_address_is_an_ip_address(String address) {
    assertThatThrownBy(() -> of(ALICE, address, "n1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not an IP address");
  }

  @Test
  void no_access_key_has_the_id_of_a_voucher() {
    assertThatThrownBy(() -> AccessKey.of(ofAlice().keyId(), ALICE, "sealed", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a key's id is tk");
    Random random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      byte[] drawn = new byte[AccessKey.ID_BYTES];
      random.nextBytes(drawn);
      assertThat(Voucher.isKeyId(AccessKey.idOf(Bytes.copyOf(drawn)))).isFalse();
    }
  }

  @Test
  void it_is_valid_for_its_life_and_the_difference_of_two_clocks() {
    Voucher voucher = ofAlice();
    assertThat(voucher.isValid(NOW_MS)).isTrue();
    assertThat(voucher.isValid(NOW_MS - Voucher.SKEW_MS)).isTrue();
    assertThat(voucher.isValid(NOW_MS - Voucher.SKEW_MS - 1)).isFalse();
    assertThat(voucher.isValid(voucher.endsMs() - 1)).isTrue();
    assertThat(voucher.isValid(voucher.endsMs())).isFalse();
    assertThat(voucher.endsMs() - NOW_MS).isEqualTo(90_000);
    assertThat(new Voucher(ALICE, "::1", "n1", Long.MAX_VALUE).isValid(NOW_MS)).isFalse();
    assertThat(new Voucher(ALICE, "::1", "n1", 0).isValid(NOW_MS)).isFalse();
  }

  @Test
  void the_longest_name_of_a_key_fits_and_a_longer_subject_is_refused() {
    String longest = "f".repeat(Voucher.ADDRESS_CHARS_MAX);
    Voucher voucher = of(Principal.ofKey("p".repeat(64)), longest, "n".repeat(64));
    assertThat(new Begin(voucher.keyId(), Bytes.copyOf(new byte[32])).keyId())
        .isEqualTo(voucher.keyId());
    Principal subject = Principal.ofCertificate("CN=" + "ü".repeat(200));
    assertThatThrownBy(() -> of(subject, "::1", "n1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is too long for a voucher");
  }

  @Test
  void each_change_of_its_text_needs_a_different_secret() {
    String keyId = ofAlice().keyId();
    MasterKey master = master(0x5a);
    Bytes secret = master.voucherSecret(keyId);
    for (int i = 0; i < keyId.length(); i++) {
      StringBuilder changed = new StringBuilder(keyId);
      changed.setCharAt(i, (char) (keyId.charAt(i) ^ 1));
      assertThat(master.voucherSecret(changed.toString())).isNotEqualTo(secret);
      assertThat(master.voucherSecret(keyId.substring(0, i))).isNotEqualTo(secret);
    }
    assertThat(master(0x5b).voucherSecret(keyId)).isNotEqualTo(secret);
  }

  @Test
  void its_secret_is_no_code_with_the_master_key_itself() throws Exception {
    String keyId = ofAlice().keyId();
    Mac mac = Mac.getInstance("HmacSHA256");
    byte[] key = "Z".repeat(MasterKey.KEY_BYTES).getBytes(StandardCharsets.US_ASCII);
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    Bytes plain = Bytes.copyOf(mac.doFinal(keyId.getBytes(StandardCharsets.UTF_8)));
    assertThat(master('Z').voucherSecret(keyId)).isNotEqualTo(plain);
  }
}
