package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.SecuritySnapshot.Group;
import io.tunnel.server.security.SecuritySnapshot.SubjectQuota;
import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class SecurityRecordsTest {

  private static final Principal ANN = Principal.ofKey("ann");
  private static final Principal CERTIFIED = Principal.ofCertificate("CN=cy/ops,O=\"x\"");

  private final SecurityRecords records =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
  private final Map<String, String> texts = new HashMap<>();

  private static AccessKey key(int number) {
    Bytes random = Bytes.fromHex("%020x".formatted(number));
    return AccessKey.of(AccessKey.idOf(random), ANN, "sealed", 5);
  }

  private static HttpToken token(int number) {
    Bytes random = Bytes.fromHex("%020x".formatted(number));
    Bytes hash = HttpToken.hashOf("token" + number);
    return new HttpToken(HttpToken.idOf(random), CERTIFIED, hash, 5, Optional.of(9L));
  }

  private static Permission permission(int number) {
    return Permission.of("ann", true, List.of("read"), "table:t" + number);
  }

  private static SubjectQuota quota(String subject) {
    Quota.Rates rows = new Quota.Rates(Optional.of(7L), Optional.empty());
    return new SubjectQuota(
        subject, new Quota(rows, null, null, Optional.of(8L), Quota.Counts.NONE));
  }

  private void store(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) ->
            text.ifPresentOrElse(said -> texts.put(name, said), () -> texts.remove(name)));
    records.apply(changes);
  }

  private void storeOneOfEach() {
    store(records.noting(key(1).rotated("newer")));
    store(records.noting(permission(1)));
    store(records.noting(new Group("team", Set.of(ANN, CERTIFIED))));
    store(records.noting(token(1)));
    store(records.noting(quota("ann")));
    store(records.noting(quota("table:orders")));
  }

  private static void requireOneOfEach(SecuritySnapshot snapshot) {
    assertThat(snapshot.key(key(1).id())).contains(key(1).rotated("newer"));
    assertThat(snapshot.permission(permission(1).id())).contains(permission(1));
    assertThat(snapshot.permissions().allows(ANN, Right.READ, "t1")).isTrue();
    assertThat(snapshot.group("team")).contains(new Group("team", Set.of(ANN, CERTIFIED)));
    assertThat(snapshot.permissions().groupsOf(CERTIFIED)).containsExactly("team");
    assertThat(snapshot.token(token(1).hash())).contains(token(1));
    assertThat(snapshot.token(token(1).id())).contains(token(1));
    assertThat(snapshot.quota(ANN)).isEqualTo(quota("ann").quota());
    assertThat(snapshot.tableQuota("orders")).isEqualTo(quota("ann").quota());
    assertThat(snapshot.quota(CERTIFIED)).isEqualTo(Quota.NONE);
    assertThat(snapshot.unreadable(1)).isEmpty();
  }

  @Test
  void what_was_noted_is_known_also_to_who_reads_it_later() {
    storeOneOfEach();
    requireOneOfEach(records.snapshot());
    assertThat(texts.keySet())
        .containsExactlyInAnyOrder(
            "security/key/tkaaaaaaaaaaaaaaab",
            "security/permission/" + permission(1).id(),
            "security/group/team",
            "security/token/" + token(1).id(),
            "security/quota/ann",
            "security/quota/table:orders");
    SecurityRecords later = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    texts.put("table/1", "{}");
    later.replace(texts);
    requireOneOfEach(later.snapshot());
    later.replace(Map.of());
    requireNothing(later.snapshot());
  }

  @Test
  void the_forms_of_the_texts_stay() {
    storeOneOfEach();
    assertThat(texts.get("security/key/" + key(1).id()))
        .isEqualTo(
            "{\"principal\":\"ann\",\"secrets\":[\"newer\",\"sealed\"],"
                + "\"createdMs\":5,\"isRevoked\":false}");
    assertThat(texts.get("security/permission/" + permission(1).id()))
        .isEqualTo(
            "{\"effect\":\"allow\",\"subject\":\"ann\",\"rights\":[\"read\"],"
                + "\"resource\":\"table:t1\"}");
    assertThat(texts.get("security/group/team"))
        .isEqualTo("{\"members\":[\"CN=cy/ops,O=\\\"x\\\"\",\"ann\"]}");
    assertThat(texts.get("security/token/" + token(1).id()))
        .isEqualTo(
            "{\"principal\":\"CN=cy/ops,O=\\\"x\\\"\",\"hash\":\""
                + token(1).hash()
                + "\",\"createdMs\":5,\"expiresMs\":9}");
    assertThat(texts.get("security/quota/ann"))
        .isEqualTo(
            "{\"written\":{\"rowsPerSecond\":7},\"delivered\":{},\"read\":{},"
                + "\"requestsPerSecond\":8,\"counts\":{}}");
  }

  @Test
  void what_is_removed_is_gone() {
    storeOneOfEach();
    SecuritySnapshot before = records.snapshot();
    store(SecurityRecords.removalOfKey(key(1).id()));
    store(SecurityRecords.removalOfPermission(permission(1).id()));
    store(SecurityRecords.removalOfGroup("team"));
    store(SecurityRecords.removalOfToken(token(1).id()));
    store(SecurityRecords.removalOfQuota("ann"));
    store(SecurityRecords.removalOfQuota("table:orders"));
    requireNothing(records.snapshot());
    assertThat(texts).isEmpty();
    requireOneOfEach(before);
  }

  private static void requireNothing(SecuritySnapshot snapshot) {
    assertThat(snapshot.key(key(1).id())).isEmpty();
    assertThat(snapshot.permission(permission(1).id())).isEmpty();
    assertThat(snapshot.permissions().seesTable(ANN, "t1")).isFalse();
    assertThat(snapshot.group("team")).isEmpty();
    assertThat(snapshot.permissions().groupsOf(CERTIFIED)).isEmpty();
    assertThat(snapshot.token(token(1).hash())).isEmpty();
    assertThat(snapshot.token(token(1).id())).isEmpty();
    assertThat(snapshot.quota(ANN)).isEqualTo(Quota.NONE);
    assertThat(snapshot.tableQuota("orders")).isEqualTo(Quota.NONE);
  }

  @Test
  void what_is_noted_again_takes_the_place_of_what_was() {
    storeOneOfEach();
    store(records.noting(key(1).revoked()));
    assertThat(records.snapshot().key(key(1).id())).contains(key(1).revoked());
    HttpToken renewed =
        new HttpToken(token(1).id(), ANN, HttpToken.hashOf("other"), 6, Optional.empty());
    store(records.noting(renewed));
    assertThat(records.snapshot().token(renewed.hash())).contains(renewed);
    assertThat(records.snapshot().token(token(1).hash())).isEmpty();
    store(records.noting(new Group("team", Set.of(ANN))));
    assertThat(records.snapshot().permissions().groupsOf(CERTIFIED)).isEmpty();
    Permission denied =
        new Permission(
            permission(1).id(), "ann", false, Set.of(Right.READ), permission(1).resource());
    store(records.noting(denied));
    assertThat(records.snapshot().permissions().allows(ANN, Right.READ, "t1")).isFalse();
  }

  @Test
  void who_listens_hears_of_each_new_snapshot_when_it_is_there() {
    List<Long> versions = new ArrayList<>();
    records.listen(() -> versions.add(records.snapshot().version()));
    long first = records.snapshot().version();
    store(records.noting(key(1)));
    records.apply(Map.of("table/1", Optional.of("{}"), "securities", Optional.empty()));
    assertThat(versions).as("of others' texts there is nothing new").containsExactly(first + 1);
    records.replace(texts);
    assertThat(versions).containsExactly(first + 1, first + 2);
  }

  @Test
  void pages_go_through_all_records() {
    for (int i = 0; i < 30; i++) {
      store(records.noting(key(i)));
      store(records.noting(permission(i)));
    }
    SecuritySnapshot snapshot = records.snapshot();
    List<AccessKey> first = snapshot.keys("", 20, each -> true);
    List<AccessKey> second = snapshot.keys(first.get(19).id(), 20, each -> true);
    assertThat(first).hasSize(20);
    assertThat(second).hasSize(10).doesNotContainAnyElementsOf(first);
    assertThat(snapshot.permissions("", 9, each -> each.subject().equals("bob"))).isEmpty();
    assertThat(snapshot.permissions("", 99, each -> each.subject().equals("ann"))).hasSize(30);
    storeOneOfEach();
    assertThat(records.snapshot().tokens("", 9, each -> true)).containsExactly(token(1));
    assertThat(records.snapshot().groups("", 9, each -> true)).hasSize(1);
    assertThat(records.snapshot().quotas("", 9, each -> true))
        .containsExactly(quota("ann"), quota("table:orders"));
  }

  @Test
  void there_are_as_many_as_there_may_be_and_not_one_more() {
    SecurityRecords few =
        new SecurityRecords(new SecurityRecords.Limits(1, 1, 1, 1, 1, 2, 1), Set.of());
    Group full = new Group("team", Set.of(ANN, CERTIFIED));
    few.apply(few.noting(key(1)));
    few.apply(few.noting(permission(1)));
    few.apply(few.noting(full));
    few.apply(few.noting(token(1)));
    few.apply(few.noting(quota("ann")));
    assertThat(few.noting(key(1).revoked())).as("not one more").hasSize(1);
    assertThat(few.noting(full)).hasSize(1);
    requireLimit(() -> few.noting(key(2)));
    requireLimit(() -> few.noting(permission(2)));
    requireLimit(() -> few.noting(new Group("other", Set.of())));
    requireLimit(() -> few.noting(token(2)));
    requireLimit(() -> few.noting(quota("bob")));
    Set<Principal> three = Set.of(ANN, CERTIFIED, Principal.ofKey("bob"));
    requireLimit(() -> few.noting(new Group("team", three)));
    few.apply(Map.of("security/key/" + key(1).id(), Optional.of("?")));
    assertThat(few.noting(key(1))).as("it heals what cannot be read").hasSize(1);
    requireLimit(() -> few.noting(key(2)));
  }

  @Test
  void a_principal_is_in_as_many_groups_as_it_may_be_and_not_in_one_more() {
    int most = SecurityRecords.Limits.DEFAULTS.principalGroupsMax();
    for (int i = 0; i < most; i++) {
      store(records.noting(new Group("g" + i, Set.of(ANN))));
    }
    assertThat(records.noting(new Group("g1", Set.of(ANN, CERTIFIED)))).hasSize(1);
    requireLimit(() -> records.noting(new Group("more", Set.of(ANN))));
  }

  private static void requireLimit(ThrowingCallable noting) {
    assertThatThrownBy(noting)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT_REACHED))
        .hasMessageContaining("the limit is ");
  }

  @Test
  void a_subject_has_so_many_pairs_of_patterns_because_each_decision_looks_at_all() {
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    for (int i = 0; i < Permissions.PAIRS_MAX; i++) {
      records.apply(
          records.noting(Permission.of("bob", true, List.of("consume"), "tunnel:a" + i + "*/b*")));
    }
    Permission more = Permission.of("bob", true, List.of("consume"), "tunnel:more*/b*");
    assertThatThrownBy(() -> records.noting(more)).hasMessageContaining("the limit is 64");
    assertThat(records.noting(Permission.of("bob", true, List.of("consume"), "tunnel:a0*/b*")))
        .as("again")
        .hasSize(1);
    assertThat(records.noting(Permission.of("ann", true, List.of("consume"), "tunnel:more*/b*")))
        .hasSize(1);
  }
}
