package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random changes of texts and random questions, beside {@link NaivePermissions}. */
final class PermissionsModelTest {

  private static final int STEPS = 300;
  private static final List<String> PRINCIPALS = List.of("ann", "bob", "CN=cy,O=x", "root");
  private static final List<String> GROUPS = List.of("g", "h", "i");

  private final NaivePermissions naive = new NaivePermissions();
  private final SecurityRecords records =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of(Principal.ofKey("root")));
  private final Map<String, String> texts = new HashMap<>();

  /** Whether all permissions are about tunnels of one table; then many deny what others allow. */
  private boolean isOfOneTable;

  static LongStream seeds() {
    return LongStream.range(0, 150);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_decision_is_that_of_a_list_that_is_scanned(long seed) {
    Random random = new Random(seed);
    isOfOneTable = seed % 2 == 0;
    naive.administrators.add("root");
    for (int step = 0; step < STEPS; step++) {
      Map<String, Optional<String>> changes = change(random, 2 + random.nextInt(12));
      changes.forEach(
          (name, text) ->
              text.ifPresentOrElse(said -> texts.put(name, said), () -> texts.remove(name)));
      if (random.nextInt(20) == 0) {
        records.replace(texts);
      } else {
        records.apply(changes);
      }
      for (int question = 0; question < 8; question++) {
        requireEqual(random, "seed " + seed + " step " + step);
      }
    }
    texts.keySet().forEach(name -> records.apply(Map.of(name, Optional.empty())));
    assertThat(records.snapshot().permissions("", 1, each -> true)).isEmpty();
    assertThat(records.snapshot().unreadable(1)).isEmpty();
    assertThat(records.snapshot().permissions().seesTable(new Principal("ann"), "a")).isFalse();
  }

  private void requireEqual(Random random, String when) {
    Permissions decisions = records.snapshot().permissions();
    String name = pick(random, PRINCIPALS);
    Principal principal = new Principal(name);
    String table = isOfOneTable ? "a" : name(random);
    String tunnel = name(random);
    Set<Right> onTable = EnumSet.noneOf(Right.class);
    Set<Right> onTunnel = EnumSet.noneOf(Right.class);
    Set<Right> onCluster = EnumSet.noneOf(Right.class);
    for (Right right : NaivePermissions.ALL) {
      add(onTable, right, decisions.allows(principal, right, table));
      add(onTunnel, right, decisions.allowsTunnel(principal, right, table, tunnel));
      add(onCluster, right, decisions.allowsCluster(principal, right));
    }
    Supplier<String> about =
        () -> when + ": " + name + " " + table + "/" + tunnel + " " + naive.permissions;
    assertThat(onTable).as(about).isEqualTo(naive.onTable(name, table));
    assertThat(onTunnel).as(about).isEqualTo(naive.onTunnel(name, table, tunnel));
    assertThat(onCluster).as(about).isEqualTo(naive.onCluster(name));
    assertThat(decisions.seesTable(principal, table))
        .as(about)
        .isEqualTo(naive.seesTable(name, table))
        .isEqualTo(decisions.allows(principal, Right.SEE, table));
    assertThat(decisions.seesTunnel(principal, table, tunnel)).isEqualTo(!onTunnel.isEmpty());
    assertThat(decisions.allowsCluster(principal, Right.SEE)).isEqualTo(!onCluster.isEmpty());
  }

  private static void add(Set<Right> rights, Right right, boolean has) {
    if (has) {
      rights.add(right);
    }
  }

  /** Few permissions exist at a moment, so each permission decides some requests. */
  private Map<String, Optional<String>> change(Random random, int permissionsMax) {
    int what = random.nextInt(20);
    if (what < 3) {
      return changeOfGroup(random, pick(random, GROUPS));
    }
    if (what < 4) {
      return unreadable(random);
    }
    boolean isRemoval = naive.permissions.size() >= permissionsMax || what < 6;
    List<String> ids = new ArrayList<>(new TreeSet<>(naive.permissions.keySet()));
    ids.addAll(new TreeSet<>(naive.unreadOfAnybody));
    if (isRemoval && !ids.isEmpty()) {
      String id = pick(random, ids);
      naive.permissions.remove(id);
      naive.unreadOfAnybody.remove(id);
      return SecurityRecords.removalOfPermission(id);
    }
    Permission permission = permission(random, "p" + random.nextInt(40));
    naive.unreadOfAnybody.remove(permission.id());
    naive.permissions.put(permission.id(), permission);
    return records.noting(permission);
  }

  private Map<String, Optional<String>> changeOfGroup(Random random, String name) {
    naive.unreadGroups.remove(name);
    naive.members.remove(name);
    if (random.nextInt(4) == 0) {
      return SecurityRecords.removalOfGroup(name);
    }
    if (random.nextInt(8) == 0) {
      naive.unreadGroups.add(name);
      return Map.of("security/group/" + name, Optional.of("{\"members\":7}"));
    }
    Set<String> members = new TreeSet<>();
    PRINCIPALS.forEach(
        principal -> {
          if (random.nextBoolean()) {
            members.add(principal);
          }
        });
    naive.members.put(name, members);
    Set<Principal> principals = new HashSet<>();
    members.forEach(member -> principals.add(new Principal(member)));
    return records.noting(new SecuritySnapshot.Group(name, principals));
  }

  private Map<String, Optional<String>> unreadable(Random random) {
    String id = "p" + random.nextInt(40);
    String subject = subject(random);
    naive.permissions.remove(id);
    naive.unreadOfAnybody.remove(id);
    String text =
        switch (random.nextInt(4)) {
          case 0 -> {
            naive.unreadOfAnybody.add(id);
            yield "{\"effect\":\"deny\"";
          }
          case 1 -> "{\"effect\":\"allow\",\"subject\":\"" + subject + "\",\"rights\":[\"fly\"]}";
          default -> {
            naive.permissions.put(id, Permission.of(subject, false, List.of("admin"), "cluster"));
            yield "{\"effect\":\"deny\",\"subject\":\"" + subject + "\",\"rights\":7}";
          }
        };
    return Map.of("security/permission/" + id, Optional.of(text));
  }

  private Permission permission(Random random, String id) {
    if (isOfOneTable) {
      return permissionOfOneTable(random, id);
    }
    String kind = pick(random, List.of("table", "tunnel", "tunnel", "cluster"));
    String beginning = random.nextInt(3) == 0 ? "*" : "";
    List<String> rights = new ArrayList<>();
    Resource resource;
    if (kind.equals("table")) {
      resource = Resource.parse("table:" + stem(random, beginning) + beginning);
      rights.addAll(List.of("read", "write", "create", "alter", "drop", "admin"));
    } else if (kind.equals("tunnel")) {
      String pair = random.nextInt(3) == 0 ? "*" : "";
      String table =
          beginning.isEmpty() || random.nextInt(3) > 0 ? stem(random, pair) + pair + "/" : "";
      resource = Resource.parse("tunnel:" + table + stem(random, beginning) + beginning);
      rights.addAll(List.of("consume", "create", "drop", "operate", "admin"));
    } else {
      resource = Resource.CLUSTER;
      rights.addAll(List.of("read", "admin"));
    }
    Set<Right> some = EnumSet.of(Rights.parse(pick(random, rights)));
    for (int more = random.nextInt(3); more > 0; more--) {
      some.add(Rights.parse(rights.get(random.nextInt(rights.size() - 1))));
    }
    return new Permission(id, subject(random), random.nextInt(5) > 1, some, resource);
  }

  private static Permission permissionOfOneTable(Random random, String id) {
    String pattern = random.nextInt(3) > 0 ? name(random) : name(random) + "*";
    Set<Right> rights = EnumSet.of(pick(random, List.of(Right.CONSUME, Right.OPERATE)));
    Resource resource = Resource.parse("tunnel:a/" + pattern);
    return new Permission(id, subject(random), random.nextBoolean(), rights, resource);
  }

  private static String subject(Random random) {
    return random.nextBoolean() ? pick(random, PRINCIPALS) : "group:" + pick(random, GROUPS);
  }

  private static String stem(Random random, String beginning) {
    return beginning.isEmpty() || random.nextInt(3) > 0 ? name(random) : "";
  }

  /** Names that are each other's beginnings. */
  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int chars = 1 + random.nextInt(3); chars > 0; chars--) {
      name.append("ab_".charAt(random.nextInt(random.nextInt(4) == 0 ? 3 : 2)));
    }
    return name.toString();
  }

  private static <T> T pick(Random random, List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
