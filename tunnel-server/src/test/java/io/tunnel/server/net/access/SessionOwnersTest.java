package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.TableMeta;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.wire.Operation.Right;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may open, renew and keep row sessions. */
final class SessionOwnersTest {

  private static final String SUBJECT = "CN=billing";

  private final TestGate at;
  private final SessionOwners owners;

  SessionOwnersTest() throws IOException {
    at = new TestGate();
    owners = new SessionOwners(at.gate, at.catalog);
    var unused = at.catalog.createTable(new TableMeta("orders", TestRows.SCHEMA), List.of(), 0);
  }

  private boolean mayOpen(String principal) {
    return at.caller(principal).mayOnSome(Right.WRITE, at.catalog);
  }

  @Test
  void a_principal_keeps_sessions_while_it_has_a_key_and_may_write_to_a_table() throws IOException {
    String key = at.create("bob").key().id();
    assertThat(owners.mayKeep("bob")).isFalse();
    assertThat(mayOpen("bob")).isFalse();
    at.allow("bob", "table:orders", "read");
    assertThat(owners.mayKeep("bob")).isFalse();
    assertThat(mayOpen("bob")).isFalse();
    at.allow("bob", "table:orders", "write");
    assertThat(owners.mayKeep("bob")).isTrue();
    assertThat(mayOpen("bob")).isTrue();
    at.withdraw("bob", "table:orders", "write");
    assertThat(owners.mayKeep("bob")).isFalse();
    assertThat(mayOpen("bob")).isFalse();
    at.allow("bob", "table:orders", "write");
    at.revoke(key);
    assertThat(owners.mayKeep("bob")).as("its last key is revoked").isFalse();
  }

  @Test
  void a_right_on_a_table_that_is_created_later_counts_from_then_on() throws IOException {
    at.allow("bob", "table:later", "write");
    Caller bob = at.caller("bob");
    assertThat(bob.mayOnSome(Right.WRITE, at.catalog)).isFalse();
    var unused = at.catalog.createTable(new TableMeta("later", TestRows.SCHEMA), List.of(), 0);
    assertThat(bob.mayOnSome(Right.WRITE, at.catalog)).isTrue();
  }

  @Test
  void a_right_on_a_table_that_is_dropped_counts_no_longer() throws IOException {
    at.allow("bob", "table:orders", "write");
    Caller bob = at.caller("bob");
    assertThat(bob.mayOnSome(Right.WRITE, at.catalog)).isTrue();
    at.catalog.dropTable(at.catalog.tables().iterator().next(), Asked.NAMELESS);
    assertThat(bob.mayOnSome(Right.WRITE, at.catalog)).isFalse();
  }

  @Test
  void an_administrator_and_the_subject_of_a_certificate_need_no_key() throws IOException {
    assertThat(owners.mayKeep("admin")).isTrue();
    assertThat(owners.mayKeep(SUBJECT)).isFalse();
    at.allow(SUBJECT, "table:orders", "write");
    assertThat(owners.mayKeep(SUBJECT)).isTrue();
  }

  @Test
  void each_change_of_keys_or_rights_is_another_mark() throws IOException {
    Object first = owners.mark();
    assertThat(owners.mark()).isEqualTo(first);
    String key = at.create("bob").key().id();
    Object second = owners.mark();
    assertThat(second).isNotEqualTo(first);
    at.revoke(key);
    assertThat(owners.mark()).isNotEqualTo(second);
  }
}
