package io.tunnel.bench.security;

import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Permissions, and questions about them in a random order, so that of many permissions what is
 * asked next is not what the processor has at hand. Half of the permissions are on tables by name,
 * a quarter on tunnels by name, a quarter on beginnings of names of tables.
 */
final class GrantedRights {

  /** As many permissions as there may be. */
  static final int COUNT_MAX = 1_000_000;

  /** Questions; a power of 2. */
  static final int QUESTIONS = 1 << 16;

  private static final int KINDS = 4;

  /** To whom the permissions belong. */
  enum Owners {
    /** Up to 100,000 principals with the same number of permissions each. */
    MANY(100_000),
    /** One principal with all of them. */
    ONE(1),
    /** 64 groups with the same number of permissions each, and a principal in all groups. */
    GROUPS(64);

    private final int count;

    Owners(int count) {
      this.count = count;
    }
  }

  /**
   * A question.
   *
   * @param table that there is a permission on
   * @param tunnel of the table, when the permission is on that
   * @param other a table without any permission, whose name is similar to {@code table}
   */
  record Question(Principal principal, String table, String tunnel, String other) {}

  private final Owners owners;
  private final int count;

  GrantedRights(Owners owners, int count) {
    this.owners = owners;
    this.count = count;
  }

  /** The texts of the catalog. */
  Map<String, String> texts() {
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    Map<String, String> texts = new HashMap<>();
    for (int i = 0; i < count; i++) {
      records.noting(permission(i)).forEach((name, text) -> texts.put(name, text.orElseThrow()));
    }
    for (int i = 0; owners == Owners.GROUPS && i < owners.count; i++) {
      records
          .noting(new SecuritySnapshot.Group("group" + i, Set.of(Principal.ofKey("member"))))
          .forEach((name, text) -> texts.put(name, text.orElseThrow()));
    }
    return texts;
  }

  /** What a server decides by that has read the texts. */
  SecuritySnapshot snapshot() {
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    records.replace(texts());
    return records.snapshot();
  }

  /** Questions whose permissions are on tables by name. */
  List<Question> questionsAboutTables() {
    return questions(0, 1);
  }

  /** Likewise on beginnings of names of tables. */
  List<Question> questionsAboutBeginnings() {
    return questions(2, 2);
  }

  /** Likewise on tunnels. */
  List<Question> questionsAboutTunnels() {
    return questions(3, 3);
  }

  /** The permission of that number. */
  Permission permission(int number) {
    String owner =
        owners == Owners.GROUPS ? "group:group" + number % owners.count : principal(number);
    return switch (number % KINDS) {
      case 2 -> Permission.of(owner, true, List.of("read"), "table:" + name(number) + "*");
      case 3 ->
          Permission.of(owner, true, List.of("consume"), "tunnel:" + name(number) + "/billing");
      default -> Permission.of(owner, true, List.of("read"), "table:" + name(number));
    };
  }

  private String principal(int number) {
    return owners == Owners.GROUPS ? "member" : "principal" + number % owners.count;
  }

  private List<Question> questions(int firstKind, int lastKind) {
    SplittableRandom random = new SplittableRandom(1);
    List<Question> questions = new ArrayList<>();
    IntStream.range(0, QUESTIONS)
        .map(i -> random.nextInt(count / KINDS) * KINDS)
        .map(number -> number + firstKind + number / KINDS % (lastKind - firstKind + 1))
        .forEach(
            number -> {
              String name = name(number);
              String table = number % KINDS == 2 ? name + "_2026" : name;
              questions.add(
                  new Question(
                      Principal.ofKey(principal(number)), table, "billing", "x" + name(-number)));
            });
    return questions;
  }

  private static String name(int number) {
    return "orders_" + Integer.toHexString(number * 0x9e3779b9) + "_eu";
  }
}
