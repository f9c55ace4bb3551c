package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Operation.Right;
import java.io.IOException;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a server does while it cannot tell which keys, tokens and rights were taken away. */
final class StaleRightsTest {

  private final TestGate at;
  private final Caller bob;
  private final String key;

  StaleRightsTest() throws IOException {
    at = new TestGate();
    bob = at.caller("bob");
    key = at.create("bob").key().id();
    at.allow("bob", "table:*", "read");
    at.allow("bob", "tunnel:*", "consume");
  }

  private void doubt() {
    at.doubt = Optional.of(new RefusedException(ErrorCode.LOG_UNAVAILABLE, "cut off"));
  }

  private static void requireRefused(ThrowingCallable deciding) {
    assertThatThrownBy(deciding)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE));
  }

  @Test
  void nobody_comes_by_a_key_or_a_token_of_the_catalog() {
    assertThat(at.gate.key(key)).isPresent();
    doubt();
    requireRefused(() -> at.gate.key(key));
    requireRefused(() -> at.gate.bearer("any"));
  }

  @Test
  void no_right_of_the_catalog_counts_for_who_is_there_already() {
    HeldRights held = new HeldRights();
    held.begin(bob, Right.READ, "orders", Optional.empty());
    assertThat(bob.may(Right.READ, "orders")).isTrue();
    doubt();
    requireRefused(() -> bob.may(Right.READ, "orders"));
    requireRefused(() -> bob.may(Right.CONSUME, "orders", "sync"));
    requireRefused(() -> bob.mayOnCluster(Right.READ));
    requireRefused(() -> bob.sees("orders"));
    assertThat(held.lost(bob)).map(RefusedException::code).contains(ErrorCode.LOG_UNAVAILABLE);
    at.doubt = Optional.empty();
    assertThat(held.lost(bob)).isEmpty();
  }

  @Test
  void the_administrator_of_the_security_directory_comes_and_does_everything() {
    doubt();
    assertThat(at.gate.key(TestSecurity.adminKey().id())).isPresent();
    Principal admin = TestSecurity.adminKey().principal();
    assertThat(at.caller(admin.name()).may(Right.READ, "orders")).isTrue();
  }
}
