package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.wire.Operation.Right;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PermissionTest {

  private static Permission allowing(String subject, String right, String resource) {
    return Permission.of(subject, true, List.of(right), resource);
  }

  @Test
  void what_says_the_same_has_one_id_and_what_does_not_has_another() {
    Permission permission = Permission.of("ann", true, List.of("read", "write"), "table:t");
    assertThat(Permission.of("ann", true, List.of("write", "read"), "table:t"))
        .isEqualTo(permission);
    assertThat(
            Set.of(
                permission.id(),
                Permission.of("ann", false, List.of("read", "write"), "table:t").id(),
                Permission.of("ann", true, List.of("read"), "table:t").id(),
                Permission.of("bob", true, List.of("read", "write"), "table:t").id(),
                Permission.of("group:ann", true, List.of("read", "write"), "table:t").id(),
                Permission.of("ann", true, List.of("read", "write"), "table:t*").id()))
        .hasSize(6);
  }

  @ParameterizedTest
  @CsvSource({
    "tunnel:ord*/s*,tunnel:orders/sales,true,true",
    "tunnel:ord*/s*,tunnel:orders/*,true,false",
    "tunnel:ord*/s*,tunnel:o*,true,false",
    "tunnel:ord*/s*,tunnel:orders*/sales*,true,true",
    "tunnel:ord*/s*,tunnel:orders/billing,false,false",
    "tunnel:ord*/s*,tunnel:users/sales,false,false",
    "tunnel:ord*,tunnel:ord*/s*,true,true",
    "tunnel:*,tunnel:*/s*,true,true",
    "tunnel:orders/s*,tunnel:orders/sales,true,true",
    "tunnel:orders/sales,tunnel:orders/sal,false,false"
  })
  void patterns_meet_and_cover_each_other_part_by_part(
      String one, String other, boolean meets, boolean covers) {
    Permission left = Permission.of("ann", true, List.of("consume"), one);
    Permission right = Permission.of("bob", false, List.of("consume"), other);
    assertThat(left.meets(right)).isEqualTo(meets);
    assertThat(right.meets(left)).isEqualTo(meets);
    assertThat(left.covers(right)).isEqualTo(covers);
  }

  @ParameterizedTest
  @EnumSource(
      value = Right.class,
      names = {"ANYBODY", "SEE", "HOLD", "SERVER"})
  void rights_that_nobody_grants_are_refused(Right right) {
    String text = Rights.text(right);
    assertThatThrownBy(() -> allowing("ann", text, "table:t"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'"
                + text
                + "' is no right that can be granted: "
                + "read, write, consume, create, alter, drop, operate, admin");
    assertThatThrownBy(() -> new Permission("1", "ann", true, Set.of(right), Resource.CLUSTER))
        .hasMessageContaining("no right that can be granted");
  }

  @Test
  void texts_of_rights_are_lower_case_and_there_is_one_at_least() {
    assertThatThrownBy(() -> allowing("ann", "READ", "table:t"))
        .hasMessageContaining("'READ' is no right that can be granted: read");
    assertThatThrownBy(() -> Permission.of("ann", true, List.of(), "table:t"))
        .hasMessageContaining("a permission needs a right: read, write");
  }

  @ParameterizedTest
  @CsvSource({
    "table:t,consume",
    "table:t,operate",
    "tunnel:t/u,read",
    "tunnel:t/u,write",
    "tunnel:t/u,alter",
    "cluster,write",
    "cluster,consume",
    "cluster,create",
    "cluster,alter",
    "cluster,drop",
    "cluster,operate"
  })
  void rights_that_mean_nothing_on_a_resource_are_refused(String resource, String right) {
    assertThatThrownBy(() -> allowing("ann", right, resource))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(resource + " has no right " + right + "; it has ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann", "a.n_n@x-1", "group:team", "CN=ann,O=x", "CN=group:x"})
  void subjects_are_principals_and_groups(String subject) {
    assertThat(allowing(subject, "read", "table:t").subject()).isEqualTo(subject);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "group:", "group:CN=x", "group:group:x", "an n", "team:x", "x/y", "*"})
  void others_are_refused(String subject) {
    assertThatThrownBy(() -> allowing(subject, "read", "table:t"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name is 1 to 64 of A-Z a-z 0-9 _ . @ -, not '");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "a b", "ä"})
  void ids_are_parts_of_names(String id) {
    assertThatThrownBy(() -> new Permission(id, "ann", true, Set.of(Right.ADMIN), Resource.CLUSTER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a permission's id is 1 to 64");
  }

  @Test
  void ids_are_as_long_as_they_may_be_and_not_longer() {
    String longest = "i".repeat(Permission.ID_CHARS_MAX);
    assertThat(new Permission(longest, "ann", true, Set.of(Right.ADMIN), Resource.CLUSTER).id())
        .isEqualTo(longest);
    assertThatThrownBy(
            () -> new Permission(longest + "i", "ann", true, Set.of(Right.ADMIN), Resource.CLUSTER))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
