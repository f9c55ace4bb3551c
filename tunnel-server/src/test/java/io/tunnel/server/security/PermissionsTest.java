package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.security.index.PermissionIndex;
import io.tunnel.wire.Operation.Right;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PermissionsTest {

  private static final Principal ANN = Principal.ofKey("ann");
  private static final Principal BOB = Principal.ofKey("bob");
  private static final Principal ROOT = Principal.ofKey("root");

  private Permissions permissions = Permissions.of(Set.of(ROOT));

  private void allow(String subject, String resource, String... rights) {
    permissions = permissions.with(Permission.of(subject, true, List.of(rights), resource));
  }

  private void deny(String subject, String resource, String... rights) {
    permissions = permissions.with(Permission.of(subject, false, List.of(rights), resource));
  }

  private void group(String name, Principal... members) {
    Memberships memberships = permissions.memberships();
    permissions =
        permissions.with(memberships.with(new SecuritySnapshot.Group(name, Set.of(members))));
  }

  @ParameterizedTest
  @EnumSource(Right.class)
  void what_nothing_allows_is_denied(Right right) {
    allow("bob", "cluster", "admin");
    assertThat(permissions.allows(ANN, right, "orders")).isFalse();
    assertThat(permissions.allowsTunnel(ANN, right, "orders", "t")).isFalse();
    assertThat(permissions.allowsCluster(ANN, right)).isFalse();
  }

  @Test
  void what_is_allowed_is_allowed_on_that_name_only() {
    allow("ann", "table:orders", "read");
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isTrue();
    assertThat(permissions.allows(ANN, Right.WRITE, "orders")).isFalse();
    assertThat(permissions.allows(ANN, Right.READ, "order")).isFalse();
    assertThat(permissions.allows(ANN, Right.READ, "orders2")).isFalse();
    assertThat(permissions.allows(BOB, Right.READ, "orders")).isFalse();
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "t")).isFalse();
  }

  @Test
  void a_beginning_matches_itself_and_all_that_goes_on() {
    allow("ann", "table:ord*", "read");
    allow("ann", "tunnel:orders/b*", "consume");
    assertThat(permissions.allows(ANN, Right.READ, "ord")).isTrue();
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isTrue();
    assertThat(permissions.allows(ANN, Right.READ, "or")).isFalse();
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "billing")).isTrue();
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "audit")).isFalse();
  }

  @Test
  void patterns_of_tunnels_are_matched_with_the_table_and_the_tunnel_as_a_whole() {
    allow("ann", "tunnel:ord*", "consume");
    allow("bob", "tunnel:orders/*", "consume");
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "t")).isTrue();
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "ord", "t")).isTrue();
    assertThat(permissions.allowsTunnel(BOB, Right.CONSUME, "orders", "t")).isTrue();
    assertThat(permissions.allowsTunnel(BOB, Right.CONSUME, "orders2", "t")).isFalse();
    assertThat(permissions.seesTable(ANN, "order")).isTrue();
    assertThat(permissions.seesTable(BOB, "order")).isFalse();
  }

  @Test
  void a_denial_wins_from_wherever_it_comes() {
    group("team", ANN);
    allow("ann", "table:orders", "read", "write");
    deny("group:team", "table:ord*", "write");
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isTrue();
    assertThat(permissions.allows(ANN, Right.WRITE, "orders")).isFalse();
    allow("group:team", "table:items", "read");
    deny("ann", "table:*", "read");
    assertThat(permissions.allows(ANN, Right.READ, "items")).isFalse();
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isFalse();
  }

  @Test
  void members_of_a_group_have_its_rights_while_they_are_in_it() {
    group("team", ANN, BOB);
    allow("group:team", "table:orders", "read");
    assertThat(permissions.allows(BOB, Right.READ, "orders")).isTrue();
    assertThat(permissions.groupsOf(BOB)).containsExactly("team");
    group("team", ANN);
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isTrue();
    assertThat(permissions.allows(BOB, Right.READ, "orders")).isFalse();
    assertThat(permissions.groupsOf(BOB)).isEmpty();
  }

  @Test
  void a_principal_in_as_many_groups_as_there_may_be_has_the_rights_of_all() {
    int groups = SecurityRecords.Limits.DEFAULTS.principalGroupsMax();
    for (int i = 0; i < groups; i++) {
      group("g" + i, ANN);
      allow("group:g" + i, "table:t" + i, "read");
    }
    for (int i = 0; i < groups; i++) {
      assertThat(permissions.allows(ANN, Right.READ, "t" + i)).isTrue();
    }
    deny("group:g7", "table:*", "read");
    assertThat(permissions.allows(ANN, Right.READ, "t63")).isFalse();
  }

  @Test
  void admin_on_a_table_is_all_rights_on_it_and_on_its_tunnels() {
    allow("ann", "table:ord*", "admin");
    for (Right right : NaivePermissions.ALL) {
      assertThat(permissions.allows(ANN, right, "orders")).isTrue();
      assertThat(permissions.allowsTunnel(ANN, right, "orders", "t")).isTrue();
      assertThat(permissions.allows(ANN, right, "items")).isFalse();
      assertThat(permissions.allowsCluster(ANN, right)).isFalse();
    }
    deny("ann", "tunnel:orders/secret", "consume");
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "secret")).isFalse();
    assertThat(permissions.allowsTunnel(ANN, Right.DROP, "orders", "secret")).isTrue();
  }

  @Test
  void admin_on_the_cluster_is_all_rights_on_everything_but_what_is_denied() {
    allow("ann", "cluster", "admin");
    deny("ann", "table:secret", "admin");
    assertThat(permissions.allows(ANN, Right.DROP, "orders")).isTrue();
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", "t")).isTrue();
    assertThat(permissions.allowsCluster(ANN, Right.OPERATE)).isTrue();
    assertThat(permissions.seesTable(ANN, "secret")).isFalse();
    assertThat(permissions.seesTunnel(ANN, "secret", "t")).isFalse();
  }

  @Test
  void other_rights_on_the_cluster_say_nothing_of_tables() {
    allow("ann", "cluster", "read");
    assertThat(permissions.allowsCluster(ANN, Right.SEE)).isTrue();
    assertThat(permissions.allowsCluster(ANN, Right.READ)).isTrue();
    assertThat(permissions.allowsCluster(ANN, Right.ADMIN)).isFalse();
    assertThat(permissions.seesTable(ANN, "orders")).isFalse();
    assertThat(permissions.seesTunnel(ANN, "orders", "t")).isFalse();
  }

  @Test
  void who_is_denied_admin_on_the_cluster_is_denied_everything() {
    allow("ann", "table:*", "admin");
    deny("ann", "cluster", "admin");
    assertThat(permissions.seesTable(ANN, "orders")).isFalse();
    assertThat(permissions.seesTunnel(ANN, "orders", "t")).isFalse();
    assertThat(permissions.allowsCluster(ANN, Right.SEE)).isFalse();
  }

  @Test
  void fixed_administrators_have_all_rights_whatever_is_denied() {
    deny("root", "cluster", "admin");
    permissions = permissions.withUnread(1);
    for (Right right : NaivePermissions.ALL) {
      assertThat(permissions.allows(ROOT, right, "orders")).isTrue();
      assertThat(permissions.allowsTunnel(ROOT, right, "orders", "t")).isTrue();
      assertThat(permissions.allowsCluster(ROOT, right)).isTrue();
    }
    assertThat(permissions.allows(ROOT, Right.SERVER, "orders")).isFalse();
    assertThat(permissions.seesTable(ROOT, "orders")).isTrue();
    assertThat(permissions.isFixedAdministrator(ROOT)).isTrue();
    assertThat(permissions.isFixedAdministrator(ANN)).isFalse();
  }

  @Test
  void a_table_is_seen_while_any_right_on_it_or_on_a_tunnel_of_it_is_left() {
    allow("ann", "tunnel:orders/billing", "consume", "operate");
    assertThat(permissions.seesTable(ANN, "orders")).isTrue();
    assertThat(permissions.seesTable(ANN, "order")).isFalse();
    deny("ann", "tunnel:orders/b*", "consume");
    assertThat(permissions.seesTable(ANN, "orders")).as("operate is left").isTrue();
    assertThat(permissions.seesTunnel(ANN, "orders", "billing")).isTrue();
    deny("ann", "tunnel:orders/billing", "operate");
    assertThat(permissions.seesTable(ANN, "orders")).isFalse();
    assertThat(permissions.seesTunnel(ANN, "orders", "billing")).isFalse();
  }

  @Test
  void a_table_whose_tunnels_are_each_allowed_to_one_group_and_denied_to_another_is_not_seen() {
    group("some", ANN);
    group("none", ANN);
    int half = PermissionIndex.LOOKS_MAX / 4;
    for (int i = 0; i < half; i++) {
      allow("group:some", "tunnel:orders/t" + i, "consume");
      deny("group:none", "tunnel:orders/t" + i, "consume");
    }
    assertThat(permissions.seesTable(ANN, "orders")).isFalse();
    allow("group:some", "tunnel:orders/u", "consume");
    assertThat(permissions.seesTable(ANN, "orders")).isTrue();
  }

  @Test
  void a_table_with_more_such_tunnels_than_a_decision_looks_at_is_seen() {
    group("some", ANN);
    group("none", ANN);
    for (int i = 0; i <= PermissionIndex.LOOKS_MAX; i++) {
      allow("group:some", "tunnel:orders/t" + i, "consume");
      deny("group:none", "tunnel:orders/t" + i, "consume");
    }
    assertThat(permissions.seesTable(ANN, "orders")).isTrue();
    assertThat(permissions.seesTunnel(ANN, "orders", "t7")).isFalse();
  }

  @Test
  void one_of_two_permissions_that_say_the_same_can_be_taken_back() {
    Resource orders = Resource.parse("table:orders");
    Permission first = new Permission("1", "ann", true, Set.of(Right.READ), orders);
    Permission second = new Permission("2", "ann", true, Set.of(Right.READ, Right.WRITE), orders);
    permissions = permissions.with(first).with(second).without(second);
    assertThat(permissions.allows(ANN, Right.READ, "orders")).isTrue();
    assertThat(permissions.allows(ANN, Right.WRITE, "orders")).isFalse();
    permissions = permissions.without(first);
    assertThat(permissions.seesTable(ANN, "orders")).isFalse();
  }

  @Test
  void the_longest_names_and_patterns_are_matched() {
    String table = "t".repeat(255);
    String tunnel = "u".repeat(255);
    allow("ann", "tunnel:" + table + "/" + tunnel + "*", "consume");
    allow("bob", "tunnel:" + table + "/" + tunnel, "consume");
    for (Principal principal : List.of(ANN, BOB)) {
      assertThat(permissions.allowsTunnel(principal, Right.CONSUME, table, tunnel)).isTrue();
      assertThat(permissions.seesTable(principal, table)).isTrue();
      assertThat(permissions.seesTable(principal, table.substring(1))).isFalse();
    }
  }

  @Test
  void a_pattern_that_ends_at_every_character_of_a_name_is_one_walk() {
    String name = "t".repeat(255) + "/" + "u".repeat(255);
    Set<Permission> nested = new HashSet<>();
    for (int chars = 0; chars <= Resource.PATTERN_CHARS_MAX; chars++) {
      nested.add(
          Permission.of(
              "ann", true, List.of("consume"), "tunnel:" + name.substring(0, chars) + "*"));
    }
    nested.forEach(each -> permissions = permissions.with(each));
    assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "t".repeat(255), "u")).isTrue();
    assertThat(permissions.seesTable(ANN, "t")).isTrue();
    nested.forEach(each -> permissions = permissions.without(each));
    assertThat(permissions.seesTable(ANN, "t")).isFalse();
  }

  @Test
  void names_that_nothing_can_have_are_not_matched_by_what_is_like_them() {
    allow("ann", "table:orders", "read");
    allow("ann", "tunnel:orders/t", "consume");
    for (String name : List.of("", "orders/", "orders/t", "ordérs", "orders*", "*", "/")) {
      assertThat(permissions.allows(ANN, Right.READ, name)).as(name).isFalse();
      assertThat(permissions.allowsTunnel(ANN, Right.CONSUME, "orders", name)).isFalse();
    }
  }
}
