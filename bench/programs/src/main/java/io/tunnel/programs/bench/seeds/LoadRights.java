package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.sdk.security.SecurityClient.Identity;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Rights that a workload needs on its tables and their tunnels. The server decides about each
 * request; this check only finds a missing right before the first table is made, so that no table
 * is left which the principal may not drop. The check is lenient: a run that the server would allow
 * is never refused.
 */
final class LoadRights {

  private static final String TABLE = "table:";
  private static final String TUNNEL = "tunnel:";
  private static final String CLUSTER = "cluster";
  private static final String ADMIN = "admin";

  private LoadRights() {}

  /**
   * What the principal lacks, such as {@code "write on table:load_*"}; empty when nothing is known
   * to be missing.
   *
   * @param tables the beginning of the names of all tables of the run
   */
  static List<String> missing(Identity identity, String tables, Kind kind) {
    List<String> missing = new ArrayList<>();
    if (identity.principal().isEmpty() || identity.isAdministrator()) {
      return missing;
    }
    for (String right : onTables(kind)) {
      if (!has(identity, right, tables, TABLE)) {
        missing.add(right + " on table:load_*");
      }
    }
    for (String right : onTunnels(kind)) {
      if (!has(identity, right, tables, TUNNEL)) {
        missing.add(right + " on tunnel:load_*");
      }
    }
    return missing;
  }

  private static List<String> onTables(Kind kind) {
    return switch (kind) {
      case REGISTRY, MIX, QUEUE, PUBLISH -> List.of("create", "read", "write", "drop");
      case ECHO, ACCESS -> List.of();
    };
  }

  private static List<String> onTunnels(Kind kind) {
    return switch (kind) {
      case QUEUE -> List.of("create", "consume");
      case REGISTRY, MIX, PUBLISH, ECHO, ACCESS -> List.of();
    };
  }

  private static boolean has(Identity identity, String right, String tables, String place) {
    Predicate<Permission> named = one -> one.rights().contains(right);
    Predicate<Permission> administers = one -> one.rights().contains(ADMIN);
    boolean isDenied =
        identity.permissions().stream()
            .anyMatch(
                one ->
                    !one.isAllowed() && named.test(one) && isOfAll(one.resource(), place, tables));
    boolean isAllowed =
        identity.permissions().stream()
            .filter(Permission::isAllowed)
            .anyMatch(
                one ->
                    (named.or(administers).test(one) && isOfSome(one.resource(), place, tables))
                        || (administers.test(one) && isAbove(one.resource(), tables)));
    return isAllowed && !isDenied;
  }

  /** Whether {@code admin} on the resource is a right on the tables and their tunnels, too. */
  private static boolean isAbove(String resource, String tables) {
    return resource.equals(CLUSTER) || isOfSome(resource, TABLE, tables);
  }

  /** Whether the pattern matches all names that the run gives. */
  private static boolean isOfAll(String resource, String place, String tables) {
    return resource.startsWith(place)
        && resource.endsWith("*")
        && tables.startsWith(stem(resource, place))
        && (resource.indexOf('/') < 0 || resource.endsWith("/*"));
  }

  /** Whether the pattern matches a name that the run may give. */
  private static boolean isOfSome(String resource, String place, String tables) {
    return resource.startsWith(place)
        && (tables.startsWith(stem(resource, place)) || stem(resource, place).startsWith(tables));
  }

  /** The table's part of a pattern, without its star. */
  private static String stem(String resource, String place) {
    String pattern = resource.substring(place.length());
    int slash = pattern.indexOf('/');
    String table = slash < 0 ? pattern : pattern.substring(0, slash);
    return table.endsWith("*") ? table.substring(0, table.length() - 1) : table;
  }
}
