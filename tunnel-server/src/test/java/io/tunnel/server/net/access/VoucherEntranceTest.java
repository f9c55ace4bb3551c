package io.tunnel.server.net.access;

import static io.tunnel.server.security.files.TestSecurity.ADMIN_SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.Gate.Vouched;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Answer;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Attacks on vouchers: to forge one, to change one, to use one again, and to prolong one. */
final class VoucherEntranceTest {

  private static final Principal ALICE = Principal.ofKey("alice");
  private static final String ADDRESS = "10.0.0.7";

  private final TestGate at;

  VoucherEntranceTest() throws IOException {
    at = new TestGate();
    at.epochMs.set(1_764_193_000_000L);
  }

  private Vouched vouched(Principal principal) {
    return at.gate.vouch(principal, ADDRESS, "n1");
  }

  private EntranceFixture greeted() {
    return new EntranceFixture(at.gate, Optional.empty()).greet();
  }

  private static boolean enters(EntranceFixture client, Vouched vouched) {
    return enters(client, vouched.voucher().keyId(), vouched.secret());
  }

  private static boolean enters(EntranceFixture client, String keyId, Bytes secret) {
    return client.authenticate(keyId, secret.toByteArray(), EntranceFixture.BINDING);
  }

  private void requireRefused(String keyId, Bytes secret) {
    EntranceFixture client = greeted();
    assertThat(enters(client, keyId, secret)).describedAs(keyId).isFalse();
    assertThat(client.entered).isEmpty();
    assertThat(client.refusals)
        .singleElement()
        .asString()
        .startsWith("later NOT_AUTHENTICATED there is no such key");
  }

  @Test
  void a_node_enters_for_a_principal_and_has_the_rights_of_the_principal_at_this_moment()
      throws IOException {
    EntranceFixture client = greeted();
    assertThat(enters(client, vouched(ALICE))).isTrue();
    Caller caller = client.entered.orElseThrow();
    assertThat(caller.principal()).contains(ALICE);
    assertThat(caller.isWelcome()).isTrue();
    assertThat(caller.mayDoEverything()).isFalse();
    assertThat(caller.may(Right.READ, "orders")).isFalse();
    at.allow("alice", "table:orders", "read");
    assertThat(caller.may(Right.READ, "orders")).isTrue();
    assertThat(caller.may(Right.WRITE, "orders")).isFalse();
    at.withdraw("alice", "table:orders", "read");
    assertThat(caller.may(Right.READ, "orders")).isFalse();
  }

  @Test
  void a_node_that_vouches_for_an_administrator_enters_as_one_only_while_the_principal_is_one() {
    EntranceFixture client = greeted();
    assertThat(enters(client, vouched(Principal.ofKey("admin")))).isTrue();
    Caller caller = client.entered.orElseThrow();
    assertThat(caller.mayDoEverything()).isTrue();
    at.administrators.clear();
    assertThat(caller.mayDoEverything()).isFalse();
    assertThat(caller.mayOnCluster(Right.ADMIN)).isFalse();
  }

  @Test
  void a_stranger_guesses_no_secret() {
    String keyId = vouched(ALICE).voucher().keyId();
    MasterKey other = MasterKey.parse("5b".repeat(32), TestSecurity.chance(1));
    requireRefused(keyId, other.voucherSecret(keyId));
    requireRefused(keyId, Bytes.copyOf(new byte[32]));
    requireRefused(keyId, Bytes.copyOf(keyId.getBytes(StandardCharsets.UTF_8)));
    requireRefused(keyId, vouched(Principal.ofKey("bob")).secret());
  }

  @Test
  void a_client_with_a_key_makes_no_voucher_of_it() throws IOException {
    KeySecret bob = at.create("bob");
    String keyId = vouched(Principal.ofKey("bob")).voucher().keyId();
    requireRefused(keyId, Bytes.copyOf(bob.secret().getBytes(StandardCharsets.UTF_8)));
    requireRefused(keyId, Bytes.copyOf(ADMIN_SECRET.getBytes(StandardCharsets.UTF_8)));
    requireRefused(
        "vouch:" + bob.key().id(), Bytes.copyOf(bob.secret().getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void a_voucher_with_a_changed_principal_address_node_or_expiry_is_refused() {
    Vouched good = vouched(ALICE);
    Voucher voucher = good.voucher();
    long expiresMs = voucher.expiresMs();
    for (Voucher changed :
        List.of(
            new Voucher(Principal.ofKey("admin"), ADDRESS, "n1", expiresMs),
            new Voucher(ALICE, "10.0.0.8", "n1", expiresMs),
            new Voucher(ALICE, ADDRESS, "n2", expiresMs),
            new Voucher(ALICE, ADDRESS, "n1", expiresMs + 1),
            new Voucher(ALICE, ADDRESS, "n1", expiresMs - 1))) {
      requireRefused(changed.keyId(), good.secret());
    }
    assertThat(enters(greeted(), good)).isTrue();
  }

  @Test
  void a_voucher_with_any_changed_character_is_refused() {
    Vouched good = vouched(ALICE);
    String keyId = good.voucher().keyId();
    for (int i = 0; i < keyId.length(); i++) {
      StringBuilder changed = new StringBuilder(keyId);
      changed.setCharAt(i, (char) (keyId.charAt(i) ^ 1));
      requireRefused(changed.toString(), good.secret());
    }
  }

  @Test
  void a_text_that_is_no_voucher_is_refused_though_a_node_proves_it() {
    for (String keyId : List.of("vouch:", "vouch:x/n1/::1/alice", "vouch:1764193060000/n1/::1/")) {
      requireRefused(keyId, at.gate.voucherSecret(keyId));
    }
  }

  @Test
  void recorded_bytes_of_a_voucher_open_no_second_connection() {
    Vouched good = vouched(ALICE);
    EntranceFixture recorded = greeted();
    AuthenticationProof seen = recorded.begin(good.voucher().keyId(), EntranceFixture.BINDING);
    Prove proof = new Prove(seen.ofClient(good.secret().toByteArray()));
    recorded.take(proof);
    assertThat(recorded.entered).isPresent();
    EntranceFixture second = greeted();
    AuthenticationProof unused = second.begin(good.voucher().keyId(), EntranceFixture.BINDING);
    second.take(proof);
    assertThat(second.entered).isEmpty();
    assertThat(second.refusals).singleElement().asString().startsWith("later NOT_AUTHENTICATED");
  }

  @Test
  void a_server_between_two_nodes_enters_with_no_proof_that_it_relays() {
    Vouched good = vouched(ALICE);
    EntranceFixture client = greeted();
    // The node sees the certificate of the server in between.
    assertThat(
            client.authenticate(
                good.voucher().keyId(), good.secret().toByteArray(), TestGate.bytes(0xdd)))
        .isFalse();
    assertThat(client.entered).isEmpty();
  }

  @Test
  void the_proof_of_the_asked_node_is_no_proof_of_the_asking_node() {
    Vouched good = vouched(ALICE);
    EntranceFixture first = greeted();
    AuthenticationProof seen = first.begin(good.voucher().keyId(), EntranceFixture.BINDING);
    first.take(new Prove(seen.ofServer(good.secret().toByteArray())));
    assertThat(first.entered).isEmpty();
    EntranceFixture honest = greeted();
    assertThat(enters(honest, good)).isTrue();
    Accepted accepted = (Accepted) Answer.decode(honest.answers.get(honest.answers.size() - 1));
    assertThat(accepted.principal()).isEqualTo("alice");
  }

  @Test
  void a_voucher_opens_no_connection_after_its_end() {
    Vouched good = vouched(ALICE);
    at.epochMs.set(good.voucher().endsMs() - 1);
    assertThat(enters(greeted(), good)).isTrue();
    at.epochMs.set(good.voucher().endsMs());
    requireRefused(good.voucher().keyId(), good.secret());
  }

  @Test
  void a_voucher_of_a_clock_that_is_far_ahead_is_refused() {
    long nowMs = at.epochMs.get();
    at.epochMs.set(nowMs + Voucher.SKEW_MS + 1);
    Vouched early = vouched(ALICE);
    at.epochMs.set(nowMs);
    requireRefused(early.voucher().keyId(), early.secret());
  }

  @Test
  void the_end_of_a_voucher_ends_its_connection_and_nothing_prolongs_it() {
    Vouched good = vouched(ALICE);
    EntranceFixture client = greeted();
    assertThat(enters(client, good)).isTrue();
    Caller caller = client.entered.orElseThrow();
    HeldRights held = new HeldRights();
    at.epochMs.set(good.voucher().endsMs() - 1);
    assertThat(held.lost(caller)).isEmpty();
    // Entering again with a newer voucher makes another caller, and leaves this one as it is.
    assertThat(enters(greeted(), vouched(ALICE))).isTrue();
    at.epochMs.set(good.voucher().endsMs());
    assertThat(held.lost(caller))
        .get()
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.NOT_AUTHENTICATED);
    assertThat(caller.isWelcome()).isFalse();
  }

  @Test
  void neither_texts_of_logs_nor_of_exceptions_contain_the_secret() {
    Vouched good = vouched(ALICE);
    assertThat(good.toString()).doesNotContain(good.secret().toString()).contains("alice");
  }
}
