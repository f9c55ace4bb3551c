package io.tunnel.server.security.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.security.index.PermissionIndex.Grant;
import io.tunnel.server.security.index.PermissionIndex.Kind;
import io.tunnel.server.security.index.PermissionIndex.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random permissions, compared with a scanned list. */
final class PermissionIndexTest {

  private static final int CHANGES = 3_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void many_permissions_come_and_go_and_answers_are_those_of_a_list(long seed) {
    Random random = new Random(seed);
    List<Grant> all = new ArrayList<>();
    PermissionIndex index = PermissionIndex.EMPTY;
    for (int i = 0; i < CHANGES; i++) {
      boolean isGrowing = i < CHANGES / 2;
      if (all.isEmpty() || random.nextInt(10) < (isGrowing ? 9 : 3)) {
        Grant grant = grant(random);
        all.add(grant);
        index = index.plus(grant);
      } else {
        index = index.minus(all.remove(random.nextInt(all.size())));
      }
      requireEqual(index, all, question(random), "seed " + seed + " change " + i);
    }
    for (Grant grant : all) {
      index = index.minus(grant);
    }
    for (int i = 0; i < 100; i++) {
      requireEqual(index, List.of(), question(random), "seed " + seed + " at the end");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1_000})
  void each_of_many_subjects_of_one_table_has_its_right_and_no_other(int subjects) {
    PermissionIndex index = PermissionIndex.EMPTY;
    for (int i = 0; i < subjects; i++) {
      index = index.plus(new Grant(Kind.TABLE, "orders", false, i % 2 == 1, "p" + i, 1));
    }
    for (int i = 0; i < subjects; i++) {
      Question own = new Question("orders", "", "p" + i, List.of());
      Question group = new Question("orders", "", "other", List.of("a", "p" + i, "z"));
      assertThat(index.masks(Kind.TABLE, own)).isEqualTo(i % 2 == 0 ? 1 : 0);
      assertThat(index.masks(Kind.TABLE, group)).isEqualTo(i % 2 == 0 ? 0 : 1);
    }
  }

  @Test
  void a_permission_that_was_given_thrice_is_there_until_it_is_taken_thrice() {
    Grant grant = new Grant(Kind.TABLE, "orders", false, false, "ann", 1);
    Question question = new Question("orders", "", "ann", List.of());
    PermissionIndex once = PermissionIndex.EMPTY.plus(grant);
    PermissionIndex twice = once.plus(grant).plus(grant).minus(grant);
    assertThat(twice.masks(Kind.TABLE, question)).isOne();
    assertThat(twice.minus(grant).masks(Kind.TABLE, question)).isOne();
    PermissionIndex none = twice.minus(grant).minus(grant);
    assertThat(none.masks(Kind.TABLE, question)).isZero();
    Grant other = new Grant(Kind.TABLE, "orders", false, false, "bob", 1);
    assertThatThrownBy(() -> once.minus(other)).isInstanceOf(IllegalStateException.class);
  }

  private static void requireEqual(
      PermissionIndex index, List<Grant> all, Question question, String when) {
    String tunnel = question.table() + "/" + question.tunnel();
    int cluster = scanned(all, question, Kind.CLUSTER, "");
    int table = scanned(all, question, Kind.TABLE, question.table());
    int onTunnel = scanned(all, question, Kind.TUNNEL, tunnel);
    assertThat(index.masks(Kind.CLUSTER, question)).as(when).isEqualTo(cluster);
    assertThat(index.masks(Kind.TABLE, question)).as(when).isEqualTo(table);
    assertThat(index.masks(Kind.TUNNEL, question)).as(when).isEqualTo(onTunnel);
  }

  private static int scanned(List<Grant> all, Question question, Kind kind, String name) {
    int masks = 0;
    for (Grant grant : all) {
      boolean isAsking =
          grant.isGroup()
              ? question.groups().contains(grant.name())
              : grant.name().equals(question.principal());
      boolean isMatch =
          grant.isBeginning() ? name.startsWith(grant.stem()) : name.equals(grant.stem());
      masks |= isAsking && grant.kind() == kind && isMatch ? grant.masks() : 0;
    }
    return masks;
  }

  private static Grant grant(Random random) {
    boolean isBeginning = random.nextInt(3) == 0;
    int rights = List.of(1 << 3, 1 << 5, PermissionIndex.ALL).get(random.nextInt(3));
    boolean isGroup = random.nextBoolean();
    String subject = isGroup ? group(random) : principal(random);
    boolean isAllow = random.nextInt(4) > 0;
    int masks = isAllow ? PermissionIndex.allowing(rights) : PermissionIndex.denying(rights);
    return switch (random.nextInt(20)) {
      case 0 -> new Grant(Kind.CLUSTER, "", false, isGroup, subject, masks);
      case 1, 2, 3, 4, 5, 6, 7, 8, 9 ->
          new Grant(Kind.TABLE, name(random), isBeginning, isGroup, subject, masks);
      default ->
          new Grant(
              Kind.TUNNEL, name(random) + "/" + name(random), isBeginning, isGroup, subject, masks);
    };
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

  /** Few names, so a name has many subjects. */
  private static String name(Random random) {
    StringBuilder name = new StringBuilder("t");
    for (int chars = random.nextInt(4); chars > 0; chars--) {
      name.append("ab".charAt(random.nextInt(2)));
    }
    return name.toString();
  }
}
