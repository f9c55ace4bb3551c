package io.tunnel.server.security;

import io.tunnel.server.security.index.PermissionIndex;
import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rules of {@link Permissions} as anybody would write them down: a list that is scanned. */
final class NaivePermissions {

  static final Set<Right> ALL =
      EnumSet.of(
          Right.READ,
          Right.WRITE,
          Right.CONSUME,
          Right.CREATE,
          Right.ALTER,
          Right.DROP,
          Right.OPERATE,
          Right.ADMIN);

  final Map<String, Permission> permissions = new HashMap<>();
  final Map<String, Set<String>> members = new HashMap<>();
  final Set<String> unreadGroups = new HashSet<>();
  final Set<String> administrators = new HashSet<>();
  final Set<String> unreadOfAnybody = new HashSet<>();

  Set<Right> onTable(String principal, String table) {
    return left(principal, permission -> covers(permission, "table", table, true));
  }

  Set<Right> onTunnel(String principal, String table, String tunnel) {
    return left(
        principal,
        permission ->
            covers(permission, "tunnel", table + "/" + tunnel, true)
                || (isAdmin(permission) && covers(permission, "table", table, true)));
  }

  Set<Right> onCluster(String principal) {
    return left(principal, permission -> permission.resource().equals(Resource.CLUSTER));
  }

  boolean seesTable(String principal, String table) {
    if (!onTable(principal, table).isEmpty()) {
      return true;
    }
    String all = table + "/";
    if (!left(principal, permission -> coversTunnels(permission, table, all, false)).isEmpty()) {
      return true;
    }
    for (Permission permission : of(principal)) {
      String stem = stemIn(permission.resource(), table);
      if (permission.resource().kind() == PermissionIndex.Kind.TUNNEL && stem.startsWith(all)) {
        boolean isName = !permission.resource().isBeginning();
        if (!left(principal, other -> coversTunnels(other, table, stem, isName)).isEmpty()) {
          return true;
        }
      }
    }
    return false;
  }

  private static String stemIn(Resource resource, String table) {
    String[] pair = resource.pattern().split("\\*/", -1);
    String text = resource.pattern();
    if (pair.length == 2) {
      text = table.startsWith(pair[0]) ? table + "/" + pair[1] : "";
    }
    return text.endsWith("*") ? text.substring(0, text.length() - 1) : text;
  }

  private interface Cover {
    boolean of(Permission permission);
  }

  private Set<Right> left(String principal, Cover cover) {
    if (administrators.contains(principal)) {
      return ALL;
    }
    Set<Right> left = EnumSet.noneOf(Right.class);
    if (!unreadOfAnybody.isEmpty()) {
      return left;
    }
    Cover orEverything =
        permission ->
            cover.of(permission)
                || (isAdmin(permission) && permission.resource().equals(Resource.CLUSTER));
    for (Permission permission : of(principal)) {
      if (permission.isAllow() && orEverything.of(permission)) {
        left.addAll(isAdmin(permission) ? ALL : permission.rights());
      }
    }
    List<Permission> denying = new ArrayList<>(of(principal));
    permissions.values().stream()
        .filter(each -> unreadGroups.contains(each.subject().replaceFirst("^group:", "")))
        .filter(each -> each.subject().startsWith("group:"))
        .forEach(denying::add);
    for (Permission permission : denying) {
      if (!permission.isAllow() && orEverything.of(permission)) {
        left.removeAll(isAdmin(permission) ? ALL : permission.rights());
      }
    }
    return left;
  }

  private List<Permission> of(String principal) {
    return permissions.values().stream()
        .filter(
            each ->
                each.subject().equals(principal)
                    || (each.subject().startsWith("group:")
                        && members
                            .getOrDefault(each.subject().substring("group:".length()), Set.of())
                            .contains(principal)))
        .toList();
  }

  private static boolean isAdmin(Permission permission) {
    return permission.rights().contains(Right.ADMIN);
  }

  /** Whether it is on the tunnel, or on all tunnels whose names begin with the text. */
  private static boolean coversTunnels(
      Permission permission, String table, String text, boolean isName) {
    return covers(permission, "tunnel", text, isName)
        || (isAdmin(permission) && covers(permission, "table", table, true));
  }

  private static boolean covers(Permission permission, String kind, String text, boolean isName) {
    String resource = permission.resource().toString();
    if (!resource.startsWith(kind + ":")) {
      return false;
    }
    String pattern = resource.substring(kind.length() + 1);
    int pair = pattern.indexOf("*/");
    if (pair >= 0) {
      int slash = text.indexOf('/');
      String table = text.substring(0, slash);
      return table.startsWith(pattern.substring(0, pair))
          && covers(pattern.substring(pair + 2), text.substring(slash + 1), isName);
    }
    return covers(pattern, text, isName);
  }

  private static boolean covers(String pattern, String text, boolean isName) {
    return pattern.endsWith("*")
        ? text.startsWith(pattern.substring(0, pattern.length() - 1))
        : isName && text.equals(pattern);
  }
}
