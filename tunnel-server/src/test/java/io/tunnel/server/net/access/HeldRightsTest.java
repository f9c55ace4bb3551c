package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.IOException;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a connection goes on using, and when it cannot any more. */
final class HeldRightsTest {

  private static final Optional<String> SYNC = Optional.of("sync");

  private final TestGate at;
  private final HeldRights held = new HeldRights();
  private final Caller bob;

  HeldRightsTest() throws IOException {
    at = new TestGate();
    bob = at.caller("bob");
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable beginning) {
    assertThatThrownBy(beginning)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void requireLost(ErrorCode code) {
    assertThat(held.lost(bob)).map(RefusedException::code).contains(code);
  }

  @Test
  void who_has_the_right_begins_and_loses_it_when_it_is_withdrawn() throws IOException {
    at.allow("bob", "tunnel:orders/sync", "consume", "operate");
    held.begin(bob, Right.CONSUME, "orders", SYNC);
    assertThat(held.lost(bob)).isEmpty();
    at.withdraw("bob", "tunnel:orders/sync", "operate");
    assertThat(held.lost(bob)).as("of another right").isEmpty();
    at.withdraw("bob", "tunnel:orders/sync", "consume");
    requireLost(ErrorCode.TUNNEL_NOT_FOUND);
  }

  @Test
  void a_right_that_is_denied_is_lost_too() throws IOException {
    at.allow("bob", "table:*", "read", "write");
    held.begin(bob, Right.READ, "orders", Optional.empty());
    at.deny("bob", "table:orders", "read");
    requireLost(ErrorCode.NOT_PERMITTED);
    at.deny("bob", "table:orders", "write");
    requireLost(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void a_principal_uses_a_sixth_of_the_rights_that_a_server_notes_and_gives_them_back()
      throws IOException {
    int ofBob = 0;
    for (FreeShare all = new FreeShare(HeldRights.RIGHTS_MAX); all.take("bob", 1); ) {
      ofBob++;
    }
    Shares shares = new Shares(at.gate, 10);
    at.allow("bob", "table:*", "read");
    HeldRights first = new HeldRights(shares);
    int last = 0;
    for (int i = 0; i < HeldRights.RIGHTS_MAX / 6; i += HeldRights.HELD_MAX) {
      HeldRights next = i == 0 ? first : new HeldRights(shares);
      for (int table = 0; table < HeldRights.HELD_MAX && last < ofBob; table++, last++) {
        next.begin(bob, Right.READ, "t" + table, Optional.empty());
      }
    }
    HeldRights other = new HeldRights(shares);
    requireRefused(
        ErrorCode.LIMIT_REACHED, () -> other.begin(bob, Right.READ, "t", Optional.empty()));
    first.close(bob);
    other.begin(bob, Right.READ, "t", Optional.empty());
    other.close(bob);
    requireRefused(
        ErrorCode.LIMIT_REACHED, () -> other.begin(bob, Right.READ, "t", Optional.empty()));
  }

  @Test
  void who_does_not_have_the_right_begins_nothing() throws IOException {
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, () -> held.begin(bob, Right.CONSUME, "orders", SYNC));
    requireRefused(
        ErrorCode.TABLE_NOT_FOUND, () -> held.begin(bob, Right.READ, "orders", Optional.empty()));
    at.allow("bob", "table:orders", "write");
    requireRefused(
        ErrorCode.NOT_PERMITTED, () -> held.begin(bob, Right.READ, "orders", Optional.empty()));
    assertThat(held.lost(bob)).as("what was refused is not used").isEmpty();
  }

  @Test
  void what_was_begun_is_lost_although_beginning_it_again_is_refused_first() throws IOException {
    at.allow("bob", "tunnel:orders/sync", "consume");
    held.begin(bob, Right.CONSUME, "orders", SYNC);
    at.withdraw("bob", "tunnel:orders/sync", "consume");
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, () -> held.begin(bob, Right.CONSUME, "orders", SYNC));
    requireLost(ErrorCode.TUNNEL_NOT_FOUND);
  }

  @Test
  void a_key_that_is_revoked_is_the_end_of_everything() throws IOException {
    KeySecret key = at.create("bob");
    EntranceFixture client = new EntranceFixture(at.gate, Optional.empty()).greet();
    assertThat(client.authenticate(key.key().id(), key.secret())).isTrue();
    Caller withKey = client.entered.orElseThrow();
    assertThat(held.lost(withKey)).isEmpty();
    at.revoke(key.key().id());
    assertThat(held.lost(withKey))
        .map(RefusedException::code)
        .contains(ErrorCode.NOT_AUTHENTICATED);
  }

  @Test
  void an_administrator_loses_what_it_has_begun_when_it_is_one_no_more() {
    Caller admin = at.caller("admin");
    held.begin(admin, Right.CONSUME, "orders", SYNC);
    assertThat(held.lost(admin)).isEmpty();
    at.administrators.remove(TestSecurity.ADMIN_KEY);
    assertThat(held.lost(admin)).isPresent();
  }

  @Test
  void where_nobody_is_asked_nothing_is_kept() {
    for (int i = 0; i <= HeldRights.HELD_MAX; i++) {
      held.begin(Caller.anybody(), Right.READ, "t" + i, Optional.empty());
    }
    assertThat(held.lost(Caller.anybody())).isEmpty();
    assertThat(held.lost(Caller.nobody())).as("who never came").isPresent();
  }

  @Test
  void a_connection_uses_as_many_as_it_may_and_not_one_more() throws IOException {
    at.allow("bob", "table:*", "read");
    for (int i = 0; i < HeldRights.HELD_MAX; i++) {
      held.begin(bob, Right.READ, "t" + i, Optional.empty());
    }
    requireRefused(
        ErrorCode.LIMIT_REACHED, () -> held.begin(bob, Right.READ, "one_more", Optional.empty()));
    held.begin(bob, Right.READ, "t0", Optional.empty());
    assertThat(held.lost(bob)).isEmpty();
  }

  @Test
  void a_client_whose_certificate_expires_cannot_go_on() {
    Caller caller =
        new EntranceFixture(at.gate, Optional.of("CN=bob")).greet().entered.orElseThrow();
    HeldRights held = new HeldRights();
    at.epochMs.set(EntranceFixture.CERTIFICATE_ENDS_MS - 1);
    assertThat(held.lost(caller)).isEmpty();
    at.epochMs.set(EntranceFixture.CERTIFICATE_ENDS_MS);
    assertThat(held.lost(caller).orElseThrow().code()).isEqualTo(ErrorCode.NOT_AUTHENTICATED);
  }
}
