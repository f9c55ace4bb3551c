package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.security.PermissionIndex.Question;
import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** So many permissions that leaves part, beside a list that is scanned. */
final class PermissionIndexTest {

  private static final int CHANGES = 3_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void many_permissions_come_and_go_and_answers_are_those_of_a_list(long seed) {
    Random random = new Random(seed);
    List<Permission> all = new ArrayList<>();
    PermissionIndex index = PermissionIndex.EMPTY;
    for (int i = 0; i < CHANGES; i++) {
      boolean isGrowing = i < CHANGES / 2;
      if (all.isEmpty() || random.nextInt(10) < (isGrowing ? 9 : 3)) {
        Permission permission = permission(random, i);
        all.add(permission);
        index = index.plus(permission);
      } else {
        index = index.minus(all.remove(random.nextInt(all.size())));
      }
      requireEqual(index, all, question(random), "seed " + seed + " change " + i);
    }
    for (Permission permission : all) {
      index = index.minus(permission);
    }
    for (int i = 0; i < 100; i++) {
      requireEqual(index, List.of(), question(random), "seed " + seed + " at the end");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {PermissionIndex.LEAF_MAX, PermissionIndex.LEAF_MAX + 1, 1_000})
  void each_of_many_subjects_of_one_table_has_its_right_and_no_other(int subjects) {
    PermissionIndex index = PermissionIndex.EMPTY;
    for (int i = 0; i < subjects; i++) {
      String subject = i % 2 == 0 ? "p" + i : "group:p" + i;
      index = index.plus(Permission.of(subject, true, List.of("read"), "table:orders"));
    }
    for (int i = 0; i < subjects; i++) {
      Question own = new Question("orders", "", "p" + i, List.of());
      Question group = new Question("orders", "", "other", List.of("a", "p" + i, "z"));
      assertThat(index.masks(Resource.Kind.TABLE, own)).isEqualTo(i % 2 == 0 ? 1 : 0);
      assertThat(index.masks(Resource.Kind.TABLE, group)).isEqualTo(i % 2 == 0 ? 0 : 1);
    }
  }

  @Test
  void a_permission_that_was_given_thrice_is_there_until_it_is_taken_thrice() {
    Permission permission = Permission.of("ann", true, List.of("read"), "table:orders");
    Question question = new Question("orders", "", "ann", List.of());
    PermissionIndex once = PermissionIndex.EMPTY.plus(permission);
    PermissionIndex twice = once.plus(permission).plus(permission).minus(permission);
    assertThat(twice.masks(Resource.Kind.TABLE, question)).isOne();
    assertThat(twice.minus(permission).masks(Resource.Kind.TABLE, question)).isOne();
    PermissionIndex none = twice.minus(permission).minus(permission);
    assertThat(none.masks(Resource.Kind.TABLE, question)).isZero();
    Permission other = Permission.of("bob", true, List.of("read"), "table:orders");
    assertThatThrownBy(() -> once.minus(other)).isInstanceOf(IllegalStateException.class);
  }

  private static void requireEqual(
      PermissionIndex index, List<Permission> all, Question question, String when) {
    String tunnel = question.table() + "/" + question.tunnel();
    int cluster = scanned(all, question, Resource.Kind.CLUSTER, "");
    int table = scanned(all, question, Resource.Kind.TABLE, question.table());
    int onTunnel = scanned(all, question, Resource.Kind.TUNNEL, tunnel);
    int above = PermissionIndex.included(cluster | table);
    assertThat(index.masks(Resource.Kind.CLUSTER, question)).as(when).isEqualTo(cluster);
    assertThat(index.masks(Resource.Kind.TABLE, question))
        .as(when)
        .isEqualTo(PermissionIndex.included(cluster) | table);
    assertThat(index.masks(Resource.Kind.TUNNEL, question)).as(when).isEqualTo(above | onTunnel);
  }

  private static int scanned(
      List<Permission> all, Question question, Resource.Kind kind, String name) {
    int masks = 0;
    for (Permission permission : all) {
      Resource on = permission.resource();
      boolean isAsking =
          permission.subject().equals(question.principal())
              || question.groups().stream()
                  .anyMatch(group -> permission.subject().equals("group:" + group));
      boolean isMatch = on.isBeginning() ? name.startsWith(on.stem()) : name.equals(on.stem());
      masks |= isAsking && on.kind() == kind && isMatch ? permission.masks() : 0;
    }
    return masks;
  }

  private static Permission permission(Random random, int number) {
    String star = random.nextInt(3) == 0 ? "*" : "";
    Set<Right> rights =
        Set.of(List.of(Right.CREATE, Right.DROP, Right.ADMIN).get(random.nextInt(3)));
    Resource on =
        switch (random.nextInt(20)) {
          case 0 -> Resource.CLUSTER;
          case 1, 2, 3, 4, 5, 6, 7, 8, 9 -> Resource.parse("table:" + name(random) + star);
          default -> Resource.parse("tunnel:" + name(random) + "/" + name(random) + star);
        };
    Set<Right> meant = on.equals(Resource.CLUSTER) ? Set.of(Right.ADMIN) : rights;
    String subject = random.nextBoolean() ? principal(random) : "group:" + group(random);
    return new Permission("p" + number, subject, random.nextInt(4) > 0, meant, on);
  }

  private static Question question(Random random) {
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      if (random.nextInt(4) == 0) {
        groups.add("g" + i);
      }
    }
    groups.sort(null);
    return new Question(name(random), name(random), principal(random), groups);
  }

  /** Some are not of ASCII, and one is another's but for bits that a byte does not have. */
  private static String principal(Random random) {
    List<String> certified = List.of("CN=é,O=ö", "CN=日本", "CN=a", "CN=š");
    return random.nextInt(4) == 0
        ? certified.get(random.nextInt(certified.size()))
        : "g" + random.nextInt(40);
  }

  private static String group(Random random) {
    return "g" + random.nextInt(40);
  }

  /** Few of them, so that one has many subjects. */
  private static String name(Random random) {
    StringBuilder name = new StringBuilder("t");
    for (int chars = random.nextInt(4); chars > 0; chars--) {
      name.append("ab".charAt(random.nextInt(2)));
    }
    return name.toString();
  }
}
