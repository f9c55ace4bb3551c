package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.GroupInfo;
import io.tunnel.wire.control.SecurityControl.GroupList;
import io.tunnel.wire.control.SecurityControl.Identity;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeyList;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.PermissionList;
import io.tunnel.wire.control.SecurityControl.PermissionQuery;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.QuotaList;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenInfo;
import io.tunnel.wire.control.SecurityControl.TokenList;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What administrators do, over a catalog in memory. */
final class AdministrationTest {

  private final TestGate at;

  AdministrationTest() throws IOException {
    at = new TestGate();
  }

  private static byte[] of(Control request) {
    return Json.encode(request);
  }

  private static void requireRefused(ErrorCode code, String words, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(words)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private List<PermissionInfo> permissions(String subject) {
    return ((PermissionList)
            at.administration.listPermissions(of(new PermissionQuery(Optional.of(subject)))))
        .permissions();
  }

  private void group(String name, List<String> add, List<String> remove) throws IOException {
    Control unused =
        at.administration.changeGroup(of(new ChangeGroup(name, add, remove)), at.caller("admin"));
  }

  private void quota(String subject, QuotaLimit... limits) throws IOException {
    Control unused =
        at.administration.setQuota(
            of(
                new QuotaChange(
                    subject,
                    List.of(limits),
                    limits.length == 0 ? List.of(QuotaChange.ALL) : List.of())),
            at.caller("admin"));
  }

  @Test
  void a_key_is_made_listed_and_revoked_each_by_one_write() throws IOException {
    KeySecret made = at.create("bob");
    assertThat(Base64.getUrlDecoder().decode(made.secret())).hasSize(AccessKey.SECRET_BYTES);
    assertThat(made.key()).isEqualTo(new KeyInfo(made.key().id(), "bob", 1, 5_000));
    KeySecret other = at.create("bob");
    assertThat(other.key().id()).isNotEqualTo(made.key().id());
    assertThat(other.secret()).isNotEqualTo(made.secret());
    assertThat(((KeyList) at.administration.listKeys(new byte[0])).keys())
        .containsExactlyInAnyOrder(made.key(), other.key());
    at.revoke(made.key().id());
    assertThat(((KeyList) at.administration.listKeys(new byte[0])).keys())
        .containsExactly(other.key());
    assertThat(at.store.writes()).isEqualTo(3);
    requireRefused(ErrorCode.INVALID_REQUEST, "there is no key", () -> at.revoke(made.key().id()));
  }

  private String token(String principal) throws IOException {
    return ((TokenSecret)
            at.administration.createToken(
                of(new CreateToken(principal, Optional.empty())), at.caller("admin")))
        .token();
  }

  @Test
  void with_its_last_key_a_principal_loses_its_tokens() throws IOException {
    String first = at.create("bob").key().id();
    String second = at.create("bob").key().id();
    String ofBob = token("bob");
    String ofPrometheus = token("prometheus");
    at.revoke(first);
    assertThat(at.gate.bearer(ofBob)).isPresent();
    at.revoke(second);
    assertThat(at.gate.bearer(ofBob)).isEmpty();
    assertThat(at.gate.bearer(ofPrometheus)).as("has no key anyway").isPresent();
    String ofAdmin = token("admin");
    at.revoke(at.create("admin").key().id());
    assertThat(at.gate.bearer(ofAdmin)).as("has its key in keys.json").isPresent();
  }

  @Test
  void keys_are_for_names_of_keys() {
    for (String name : List.of("", "CN=bob", "group:ops", "a b", "x".repeat(65))) {
      assertThatThrownBy(() -> at.create(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 to 64 of A-Z");
    }
    assertThat(at.store.writes()).isZero();
  }

  @Test
  void a_rotated_key_has_two_secrets_until_it_is_finished_and_never_three() throws Exception {
    KeySecret old = at.create("bob");
    String id = old.key().id();
    KeySecret newer = at.rotate(id);
    assertThat(newer.key()).isEqualTo(new KeyInfo(id, "bob", 2, 5_000));
    requireRefused(
        ErrorCode.INVALID_REQUEST, "finish its rotation before another", () -> at.rotate(id));
    at.finish(id);
    AccessKey left = at.catalog.security().snapshot().key(id).orElseThrow();
    assertThat(left.sealedSecrets()).hasSize(1);
    assertThat(at.gate.guard().orElseThrow().master().open(left.sealedSecrets().get(0), id))
        .isEqualTo(newer.secret().getBytes(StandardCharsets.UTF_8));
    at.finish(id);
    assertThat(at.catalog.security().snapshot().key(id)).as("once more is no harm").contains(left);
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "there is no key 'tkother'",
        () -> at.administration.rotateKey(of(new RotateKey("tkother", false)), at.caller("admin")));
  }

  @Test
  void who_may_have_been_replaced_says_of_nothing_that_it_is_not_there() throws IOException {
    Bytes some = Bytes.fromHex("51");
    new Founding(new CatalogIdentity(some), some, 1, LogForm.ROWS).noteIn(at.store);
    at.catalog.lead(at.store);
    String id = at.create("bob").key().id();
    KeySecret unused = at.rotate(id);
    List<ThrowingCallable> refused =
        List.of(
            () -> at.revoke("tkother"),
            () -> at.rotate(id),
            () -> at.withdraw("bob", "table:orders", "read"),
            () -> at.administration.revokeToken(of(new SecurityId("other")), at.caller("admin")));
    refused.forEach(each -> assertThatThrownBy(each).isInstanceOf(RefusedException.class));
    for (ThrowingCallable each : refused) {
      at.store.loseWord();
      assertThatThrownBy(each).isInstanceOf(StoreUnavailableException.class);
    }
    at.store.fence();
    refused.forEach(each -> assertThatThrownBy(each).isInstanceOf(FencedStoreException.class));
  }

  @Test
  void the_administrators_key_is_changed_in_its_file_only() {
    String id = TestSecurity.ADMIN_KEY;
    requireRefused(ErrorCode.INVALID_REQUEST, "keys.json; change it there", () -> at.revoke(id));
    requireRefused(ErrorCode.INVALID_REQUEST, "keys.json; change it there", () -> at.rotate(id));
    assertThat(at.store.writes()).isZero();
  }

  @Test
  void withdrawing_a_right_leaves_the_rest_of_a_permission() throws IOException {
    at.allow("bob", "table:ord*", "read", "write", "drop");
    at.allow("bob", "table:ord*", "write");
    at.deny("bob", "table:ord*", "write");
    at.allow("bob", "table:orders", "write");
    at.allow("ann", "table:ord*", "write");
    int writes = at.store.writes();
    at.withdraw("bob", "table:ord*", "write", "alter");
    assertThat(at.store.writes()).as("all or nothing").isEqualTo(writes + 1);
    assertThat(permissions("bob"))
        .containsExactlyInAnyOrder(
            new PermissionInfo("bob", true, List.of("read", "drop"), "table:ord*"),
            new PermissionInfo("bob", false, List.of("write"), "table:ord*"),
            new PermissionInfo("bob", true, List.of("write"), "table:orders"));
    assertThat(permissions("ann")).hasSize(1);
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "'bob' was not allowed alter, admin on table:ord*",
        () -> at.withdraw("bob", "table:ord*", "alter", "admin"));
  }

  @Test
  void what_is_granted_twice_is_one_and_withdrawn_at_once() throws IOException {
    at.allow("bob", "table:orders", "write", "read");
    at.allow("bob", "table:orders", "read", "write");
    assertThat(permissions("bob"))
        .containsExactly(new PermissionInfo("bob", true, List.of("read", "write"), "table:orders"));
    at.withdraw("bob", "table:orders", "read", "write");
    assertThat(permissions("bob")).isEmpty();
    assertThat(at.store.all()).isEmpty();
  }

  @Test
  void a_permission_can_be_made_smaller_when_there_are_as_many_as_there_may_be() {
    SecurityRecords records =
        new SecurityRecords(new SecurityRecords.Limits(1, 1, 1, 1, 1, 1, 1), Set.of());
    Permission first = Permission.of("bob", true, List.of("read"), "cluster");
    Permission rest = Permission.of("bob", true, List.of("admin"), "cluster");
    records.apply(records.noting(first));
    requireRefused(ErrorCode.LIMIT_REACHED, "the limit is 1", () -> records.noting(rest));
    assertThat(SecurityRecords.notingInstead(rest)).hasSize(1);
  }

  @Test
  void permissions_that_mean_nothing_are_refused_before_anything_is_written() {
    for (PermissionInfo wrong :
        List.of(
            new PermissionInfo("bob", true, List.of(), "cluster"),
            new PermissionInfo("bob", true, List.of("see"), "cluster"),
            new PermissionInfo("bob", true, List.of("READ"), "cluster"),
            new PermissionInfo("bob", true, List.of("consume"), "table:orders"),
            new PermissionInfo("bob", true, List.of("read"), "orders"),
            new PermissionInfo("group:", true, List.of("read"), "cluster"))) {
      assertThatThrownBy(() -> at.administration.grant(of(wrong), at.caller("admin")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> at.administration.withdraw(of(wrong), at.caller("admin")))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(at.store.writes()).isZero();
  }

  @Test
  void a_group_begins_with_its_first_member_and_ends_with_its_last() throws IOException {
    group("ops", List.of("bob", "ann", "CN=x,O=y"), List.of());
    group("ops", List.of("eve"), List.of("ann", "nobody"));
    assertThat(at.administration.listGroups(new byte[0]))
        .isEqualTo(new GroupList(List.of(new GroupInfo("ops", List.of("CN=x,O=y", "bob", "eve")))));
    at.allow("group:ops", "cluster", "read");
    assertThat(at.caller("bob").mayOnCluster(Right.READ)).isTrue();
    group("ops", List.of(), List.of("bob", "eve", "CN=x,O=y"));
    assertThat(at.administration.listGroups(new byte[0])).isEqualTo(new GroupList(List.of()));
    assertThat(at.caller("bob").mayOnCluster(Right.READ)).isFalse();
    for (String name : List.of("", "a b", "../up", "x".repeat(65))) {
      assertThatThrownBy(() -> group(name, List.of(), List.of("bob")))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> group("ops", List.of("a b"), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_token_is_known_by_its_hash_and_ends_when_it_is_said_to() throws IOException {
    TokenSecret token =
        (TokenSecret)
            at.administration.createToken(
                of(new CreateToken("bob", Optional.of(6_000L))), at.caller("admin"));
    assertThat(token.info())
        .isEqualTo(new TokenInfo(token.info().id(), "bob", 5_000, Optional.of(6_000L)));
    assertThat(at.gate.bearer(token.token()).orElseThrow().principal())
        .contains(Principal.ofKey("bob"));
    assertThat(at.gate.bearer(token.token() + "x")).isEmpty();
    assertThat(at.gate.bearer(HttpToken.hashOf(token.token()).toString())).isEmpty();
    at.epochMs.set(6_000);
    assertThat(at.gate.bearer(token.token())).as("it has ended").isEmpty();
    assertThat(((TokenList) at.administration.listTokens(new byte[0])).tokens())
        .containsExactly(token.info());
    Control unused =
        at.administration.revokeToken(of(new SecurityId(token.info().id())), at.caller("admin"));
    assertThat(at.gate.bearer(token.token())).isEmpty();
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "there is no token",
        () ->
            at.administration.revokeToken(
                of(new SecurityId(token.info().id())), at.caller("admin")));
    assertThatThrownBy(
            () ->
                at.administration.createToken(
                    of(new CreateToken("bob", Optional.of(6_000L))), at.caller("admin")))
        .as("an end that has passed")
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_quota_is_set_replaced_and_taken_away() throws IOException {
    quota("bob", new QuotaLimit("connections", 3), new QuotaLimit("requestsPerSecond", 9));
    quota("bob", new QuotaLimit("connections", 4));
    Control unused =
        at.administration.setQuota(
            of(new QuotaChange("bob", List.of(), List.of("requestsPerSecond"))),
            at.caller("admin"));
    quota("table:orders", new QuotaLimit("tunnels", 2));
    assertThat(at.administration.listQuotas(new byte[0]))
        .isEqualTo(
            new QuotaList(
                List.of(
                    new QuotaInfo("bob", List.of(new QuotaLimit("connections", 4))),
                    new QuotaInfo("table:orders", List.of(new QuotaLimit("tunnels", 2))))));
    quota("bob");
    assertThat(at.catalog.security().snapshot().quota(Principal.ofKey("bob")))
        .isEqualTo(Quota.NONE);
    assertThatThrownBy(() -> quota("table:orders", new QuotaLimit("connections", 1)))
        .hasMessageContaining("connections and tables are counted for principals");
    assertThatThrownBy(() -> quota("a b")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_caller_is_told_who_it_is_and_what_it_was_given() throws IOException {
    group("ops", List.of("bob"), List.of());
    at.allow("group:ops", "cluster", "read");
    at.allow("bob", "table:orders", "write");
    at.allow("ann", "table:orders", "read");
    assertThat(at.administration.identity(at.caller("bob")))
        .isEqualTo(
            new Identity(
                Optional.of("bob"),
                List.of("ops"),
                at.administration.identity(at.caller("bob")).permissions(),
                false));
    assertThat(at.administration.identity(at.caller("bob")).permissions())
        .containsExactlyInAnyOrder(
            new PermissionInfo("group:ops", true, List.of("read"), "cluster"),
            new PermissionInfo("bob", true, List.of("write"), "table:orders"));
    assertThat(at.administration.identity(at.caller("admin")))
        .isEqualTo(new Identity(Optional.of("admin"), List.of(), List.of(), true));
    assertThat(at.administration.identity(Caller.anybody()))
        .isEqualTo(new Identity(Optional.empty(), List.of(), List.of(), true));
  }

  @Test
  void no_secret_is_in_what_is_stored_or_shown() throws IOException {
    KeySecret key = at.create("bob");
    KeySecret rotated = at.rotate(key.key().id());
    TokenSecret token =
        (TokenSecret)
            at.administration.createToken(
                of(new CreateToken("bob", Optional.empty())), at.caller("admin"));
    String sealed =
        at.catalog.security().snapshot().key(key.key().id()).orElseThrow().sealedSecrets().get(0);
    EntranceFixture client = new EntranceFixture(at.gate, Optional.empty()).greet();
    assertThat(client.authenticate(key.key().id(), key.secret())).isTrue();
    List<String> shown =
        List.of(
            key.toString(),
            rotated.toString(),
            token.toString(),
            at.store.all().toString(),
            at.administration.listKeys(new byte[0]).toString(),
            at.administration.listTokens(new byte[0]).toString(),
            client.entered.orElseThrow().toString(),
            at.gate.candidates(at.gate.key(key.key().id())).toString(),
            new Caller.Proof(key.key().id(), sealed).toString(),
            TestSecurity.master().toString());
    for (String secret :
        List.of(
            key.secret(), rotated.secret(), token.token(), TestSecurity.MASTER_KEY.substring(8))) {
      String hex = Bytes.copyOf(secret.getBytes(StandardCharsets.UTF_8)).toString();
      assertThat(shown).noneMatch(text -> text.contains(secret) || text.contains(hex));
    }
  }

  @Test
  void a_write_that_fails_changes_nothing() throws IOException {
    at.allow("bob", "cluster", "read");
    at.store.fail(true);
    assertThatThrownBy(() -> at.withdraw("bob", "cluster", "read")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> at.create("bob")).isInstanceOf(IOException.class);
    assertThat(permissions("bob")).hasSize(1);
    assertThat(((KeyList) at.administration.listKeys(new byte[0])).keys()).isEmpty();
  }

  /** Each change, as a request. */
  private static Map<String, ThrowingCallable> changes(Administration of, Caller by) {
    String id = AccessKey.idOf(Bytes.fromHex("00".repeat(10)));
    PermissionInfo permission = new PermissionInfo("bob", true, List.of("read"), "cluster");
    return Map.of(
        "create key", () -> of.createKey(of(new CreateKey("bob")), by),
        "revoke key", () -> of.revokeKey(of(new SecurityId(id)), by),
        "rotate key", () -> of.rotateKey(of(new RotateKey(id, true)), by),
        "grant", () -> of.grant(of(permission), by),
        "withdraw", () -> of.withdraw(of(permission), by),
        "group", () -> of.changeGroup(of(new ChangeGroup("g", List.of("bob"), List.of())), by),
        "create token", () -> of.createToken(of(new CreateToken("bob", Optional.empty())), by),
        "revoke token", () -> of.revokeToken(of(new SecurityId("th")), by),
        "quota", () -> of.setQuota(of(new QuotaChange("bob", List.of(), List.of("all"))), by));
  }

  @Test
  void a_node_that_only_follows_says_so_before_it_says_what_it_does_not_know() {
    Administration follower = new Administration(new Catalog(), at.gate, () -> 0);
    changes(follower, at.caller("admin"))
        .forEach((what, change) -> requireRefused(ErrorCode.NOT_LEADER, "does not decide", change));
  }

  @Test
  void a_server_that_asks_nobody_says_that_it_has_no_keys() {
    Administration open = new Administration(at.catalog, Gate.open(), () -> 0);
    changes(open, at.caller("admin"))
        .forEach(
            (what, change) ->
                requireRefused(ErrorCode.NOT_AUTHENTICATED, "--security DIR", change));
    for (ThrowingCallable list :
        List.<ThrowingCallable>of(
            () -> open.listKeys(new byte[0]),
            () -> open.listPermissions(new byte[0]),
            () -> open.listGroups(new byte[0]),
            () -> open.listTokens(new byte[0]),
            () -> open.listQuotas(new byte[0]))) {
      requireRefused(ErrorCode.NOT_AUTHENTICATED, "--security DIR", list);
    }
    assertThat(at.store.writes()).isZero();
  }
}
