package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a deputy administrator, who is denied the table {@code salaries}, may give to others. */
final class DeputiesTest {

  private final TestGate at;

  DeputiesTest() throws IOException {
    at = new TestGate();
  }

  @BeforeEach
  void name_a_deputy() throws IOException {
    at.allow("deputy", "cluster", "admin");
    at.deny("deputy", "table:salaries", "admin");
  }

  private Caller deputy() {
    return at.caller("deputy");
  }

  private void createKey(String principal) throws IOException {
    TestGate.answered(at.administration.createKey(Json.encode(new CreateKey(principal)), deputy()));
  }

  private void createToken(String principal) throws IOException {
    TestGate.answered(
        at.administration.createToken(
            Json.encode(new CreateToken(principal, Optional.empty())), deputy()));
  }

  private void grant(String subject, String resource, String... rights) throws IOException {
    TestGate.answered(
        at.administration.grant(
            Json.encode(new PermissionInfo(subject, true, List.of(rights), resource)), deputy()));
  }

  private void lift(String subject, String resource, String... rights) throws IOException {
    TestGate.answered(
        at.administration.withdraw(
            Json.encode(new PermissionInfo(subject, false, List.of(rights), resource)), deputy()));
  }

  private void group(String name, List<String> add, List<String> remove) throws IOException {
    TestGate.answered(
        at.administration.changeGroup(Json.encode(new ChangeGroup(name, add, remove)), deputy()));
  }

  private void requireRefused(ThrowingCallable request) {
    int before = at.store.writes();
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
    assertThat(at.store.writes()).isEqualTo(before);
  }

  @Test
  void makes_no_key_and_no_token_for_an_administrator_of_the_security_directory()
      throws IOException {
    requireRefused(() -> createKey("admin"));
    requireRefused(() -> createToken("admin"));
    String id = at.create("admin").key().id();
    requireRefused(
        () -> at.administration.rotateKey(Json.encode(new RotateKey(id, false)), deputy()));
  }

  @Test
  void makes_keys_and_tokens_for_those_who_may_do_no_more_than_the_deputy() throws IOException {
    createKey("bob");
    createKey("deputy");
    at.allow("bob", "table:orders", "admin");
    createKey("bob");
    createToken("bob");
    at.allow("bob", "table:sal*", "read");
    requireRefused(() -> createKey("bob"));
    requireRefused(() -> createToken("bob"));
    at.deny("bob", "table:salaries*", "admin");
    createKey("bob");
  }

  @Test
  void makes_no_key_for_a_member_of_a_group_that_may_do_more() throws IOException {
    at.allow("group:payroll", "tunnel:salaries/export", "consume");
    group("other", List.of("bob"), List.of());
    createKey("bob");
    TestGate.answered(
        at.administration.changeGroup(
            Json.encode(new ChangeGroup("payroll", List.of("bob"), List.of())),
            at.caller("admin")));
    requireRefused(() -> createKey("bob"));
  }

  @Test
  void grants_nothing_that_is_denied_to_the_deputy() throws IOException {
    grant("bob", "table:orders*", "read", "write");
    for (String resource : List.of("table:salaries", "table:s*", "table:*")) {
      requireRefused(() -> grant("bob", resource, "read"));
    }
    requireRefused(() -> grant("bob", "tunnel:salaries/export", "consume"));
    requireRefused(() -> grant("bob", "tunnel:*", "consume"));
    requireRefused(() -> grant("bob", "cluster", "admin"));
    requireRefused(() -> grant("group:staff", "cluster", "admin"));
    grant("bob", "cluster", "read");
    at.deny("carol", "table:salaries", "admin");
    grant("carol", "cluster", "admin");
  }

  @Test
  void lifts_no_denial_that_the_deputy_is_under() throws IOException {
    at.deny("bob", "table:salaries", "read");
    at.deny("bob", "table:orders", "read");
    requireRefused(() -> lift("deputy", "table:salaries", "admin"));
    requireRefused(() -> lift("bob", "table:salaries", "read"));
    lift("bob", "table:orders", "read");
  }

  @Test
  void changes_no_group_so_that_somebody_may_do_more_than_the_deputy() throws IOException {
    at.allow("group:payroll", "table:salaries", "read");
    requireRefused(() -> group("payroll", List.of("deputy"), List.of()));
    requireRefused(() -> group("payroll", List.of("bob"), List.of()));
    TestGate.answered(
        at.administration.changeGroup(
            Json.encode(new ChangeGroup("temps", List.of("deputy", "bob"), List.of())),
            at.caller("admin")));
    at.deny("group:temps", "table:orders", "write");
    requireRefused(() -> group("temps", List.of(), List.of("deputy")));
    requireRefused(() -> group("temps", List.of(), List.of("bob")));
    requireRefused(() -> createKey("admin2-with-all"), "table:orders");
    group("temps", List.of("carol"), List.of());
  }

  private void requireRefused(ThrowingCallable request, String resource) throws IOException {
    at.allow("admin2-with-all", resource, "write");
    requireRefused(request);
  }

  private void quota(String subject, String... limits) throws IOException {
    TestGate.answered(
        at.administration.setQuota(
            Json.encode(
                new QuotaChange(
                    subject,
                    Stream.of(limits).map(limit -> new QuotaLimit(limit, 0)).toList(),
                    limits.length == 0 ? List.of(QuotaChange.ALL) : List.of())),
            deputy()));
  }

  private void deny(String subject, String resource, String... rights) throws IOException {
    TestGate.answered(
        at.administration.grant(
            Json.encode(new PermissionInfo(subject, false, List.of(rights), resource)), deputy()));
  }

  private void take(String subject, String resource, String... rights) throws IOException {
    TestGate.answered(
        at.administration.withdraw(
            Json.encode(new PermissionInfo(subject, true, List.of(rights), resource)), deputy()));
  }

  private void revokeKey(String id) throws IOException {
    TestGate.answered(at.administration.revokeKey(Json.encode(new SecurityId(id)), deputy()));
  }

  private String token(String principal) throws IOException {
    return ((TokenSecret)
            at.administration.createToken(
                Json.encode(new CreateToken(principal, Optional.empty())), at.caller("admin")))
        .info()
        .id();
  }

  private void revokeToken(String id) throws IOException {
    TestGate.answered(at.administration.revokeToken(Json.encode(new SecurityId(id)), deputy()));
  }

  /** Nobody could lift it: the connections of the only ones who may are refused. */
  @Test
  void sets_no_quota_for_an_administrator_and_for_none_who_may_do_more() throws IOException {
    requireRefused(() -> quota("admin", "connections"));
    requireRefused(() -> quota("admin"));
    at.allow("payroll", "table:salaries", "read");
    requireRefused(() -> quota("payroll", "connections"));
    requireRefused(() -> quota("payroll"));
    quota("bob", "connections");
    quota("bob");
  }

  @Test
  void ends_no_row_session_of_those_who_may_do_more() throws IOException {
    at.allow("payroll", "table:salaries", "write");
    at.allow("bob", "table:orders", "write");
    requireRefused(() -> at.administration.requireMayEnd("admin", deputy()));
    requireRefused(() -> at.administration.requireMayEnd("payroll", deputy()));
    at.administration.requireMayEnd("bob", deputy());
    at.administration.requireMayEnd("", Caller.anybody());
    at.administration.requireMayEnd("payroll", at.caller("admin"));
  }

  @Test
  void sets_quotas_of_the_tables_that_it_administers() throws IOException {
    requireRefused(() -> quota("table:salaries", "sessions"));
    requireRefused(() -> quota("table:salaries"));
    quota("table:orders", "sessions");
    quota("table:orders");
  }

  @Test
  void ends_no_key_token_or_rotation_of_those_who_may_do_more() throws IOException {
    at.allow("payroll", "table:salaries", "read");
    for (String stronger : List.of("admin", "payroll")) {
      String key = at.create(stronger).key().id();
      KeySecret unused = at.rotate(key);
      String token = token(stronger);
      requireRefused(() -> revokeKey(key));
      requireRefused(() -> revokeToken(token));
      requireRefused(
          () -> at.administration.rotateKey(Json.encode(new RotateKey(key, true)), deputy()));
    }
    revokeToken(token("bob"));
    revokeKey(at.create("bob").key().id());
  }

  @Test
  void takes_no_right_from_those_who_may_do_more() throws IOException {
    at.allow("chief", "cluster", "admin");
    requireRefused(() -> take("chief", "cluster", "admin"));
    requireRefused(() -> deny("chief", "cluster", "admin"));
    requireRefused(() -> deny("admin", "cluster", "admin"));
    at.allow("group:chiefs", "cluster", "admin");
    TestGate.answered(
        at.administration.changeGroup(
            Json.encode(new ChangeGroup("chiefs", List.of("chief"), List.of())),
            at.caller("admin")));
    requireRefused(() -> take("group:chiefs", "cluster", "admin"));
    requireRefused(() -> group("chiefs", List.of(), List.of("chief")));
    TestGate.answered(
        at.administration.changeGroup(
            Json.encode(new ChangeGroup("staff", List.of("bob", "chief"), List.of())),
            at.caller("admin")));
    requireRefused(() -> deny("group:staff", "table:orders", "read"));
    requireRefused(() -> group("bound", List.of("chief"), List.of()));
    at.allow("bob", "table:orders", "read");
    take("bob", "table:orders", "read");
    deny("bob", "cluster", "admin");
    requireRefused(() -> deny("carol", "table:salaries", "read"));
  }

  /** Each operation of which the page says so. */
  @Test
  void changes_nothing_of_those_who_may_do_more_by_any_operation() throws IOException {
    at.allow("chief", "cluster", "admin");
    String key = at.create("chief").key().id();
    String token = token("chief");
    Map<Operation, ThrowingCallable> changes = new EnumMap<>(Operation.class);
    changes.put(Operation.CREATE_KEY, () -> createKey("chief"));
    changes.put(Operation.CREATE_TOKEN, () -> createToken("chief"));
    changes.put(Operation.REVOKE_KEY, () -> revokeKey(key));
    changes.put(Operation.REVOKE_TOKEN, () -> revokeToken(token));
    changes.put(
        Operation.ROTATE_KEY,
        () -> at.administration.rotateKey(Json.encode(new RotateKey(key, true)), deputy()));
    changes.put(Operation.GRANT, () -> deny("chief", "table:orders", "read"));
    changes.put(Operation.WITHDRAW, () -> take("chief", "cluster", "admin"));
    changes.put(Operation.CHANGE_GROUP, () -> group("g", List.of("chief"), List.of()));
    changes.put(Operation.SET_QUOTA, () -> quota("chief", "connections"));
    for (OperationsPage.Row row : OperationsPage.rows()) {
      for (Operation operation : row.operations()) {
        assertThat(changes.containsKey(operation))
            .as("%s", operation)
            .isEqualTo(row.isLimitedForDeputies());
      }
    }
    for (ThrowingCallable change : changes.values()) {
      requireRefused(change);
    }
  }

  /** The right was there when the request came. */
  @Test
  void changes_nothing_when_its_right_ended_while_the_request_waited() throws IOException {
    String key = at.create("bob").key().id();
    String token = token("bob");
    at.allow("bob", "table:orders", "read");
    at.withdraw("deputy", "cluster", "admin");
    requireRefused(() -> createKey("bob"));
    requireRefused(() -> createToken("bob"));
    requireRefused(() -> revokeKey(key));
    requireRefused(() -> revokeToken(token));
    requireRefused(
        () -> at.administration.rotateKey(Json.encode(new RotateKey(key, false)), deputy()));
    requireRefused(() -> grant("bob", "table:orders", "write"));
    requireRefused(() -> take("bob", "table:orders", "read"));
    requireRefused(() -> group("staff", List.of("bob"), List.of()));
    requireRefused(() -> quota("bob", "connections"));
  }

  @Test
  void does_nothing_to_an_administrator_by_a_group_so_groups_with_one_may_be_changed()
      throws IOException {
    group("staff", List.of("admin", "bob"), List.of());
    deny("group:staff", "table:orders", "read");
    group("staff", List.of(), List.of("admin"));
  }

  @Test
  void gives_nothing_when_too_much_is_denied_to_compare() throws IOException {
    for (int i = 0; i < Deputies.DENIALS_MAX - 1; i++) {
      at.deny("deputy", "table:t" + i, "write");
    }
    grant("bob", "table:orders", "read");
    at.deny("deputy", "table:one_more", "write");
    requireRefused(() -> grant("bob", "table:orders", "write"));
  }

  /** What a group has counts also while nobody is in it: somebody will be. */
  @Test
  void takes_nothing_from_a_group_that_may_do_more_though_nobody_is_in_it() throws IOException {
    at.allow("group:weak", "table:orders", "read");
    take("group:weak", "table:orders", "read");
    at.allow("group:strong", "table:orders", "read");
    at.allow("group:strong", "table:salaries", "read");
    requireRefused(() -> take("group:strong", "table:orders", "read"));
    requireRefused(() -> deny("group:strong", "table:orders", "read"));
    requireRefused(() -> group("strong", List.of("bob"), List.of()));
    at.deny("group:strong", "table:salaries*", "admin");
    take("group:strong", "table:orders", "read");
    group("strong", List.of("bob"), List.of());
  }

  /** An administrator of the directory has no bounds of a deputy. */
  @Test
  void binds_no_administrator_of_the_directory() throws IOException {
    at.deny("bob", "table:salaries", "read");
    TestGate.answered(
        at.administration.withdraw(
            Json.encode(new PermissionInfo("bob", false, List.of("read"), "table:salaries")),
            at.caller("admin")));
    at.withdraw("deputy", "cluster", "admin");
    at.allow("deputy", "cluster", "admin");
    at.allow("deputy", "table:salaries", "read");
    at.withdraw("deputy", "table:salaries", "read");
  }
}
