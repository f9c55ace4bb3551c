package io.tunnel.server.security;

import static io.tunnel.server.security.index.PermissionIndex.allowing;
import static io.tunnel.server.security.index.PermissionIndex.denying;

import io.tunnel.server.security.index.PermissionIndex;
import io.tunnel.server.security.index.PermissionIndex.Grant;
import io.tunnel.server.security.index.PermissionIndex.Kind;
import io.tunnel.server.security.index.PermissionIndex.Question;
import io.tunnel.server.security.index.PersistentMap;
import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides who may do what. A principal has a right when a permission allows the right and no
 * permission denies it; permissions of a principal and of its groups, on names and on beginnings of
 * names, count alike. Never changes; for any thread.
 *
 * <ul>
 *   <li>ADMIN on a table is all rights on the table and on all its tunnels; ADMIN on the cluster is
 *       all rights on everything. A denied ADMIN denies all of these rights.
 *   <li>A principal has SEE on a resource when any right on the resource is left to it; a right on
 *       some tunnel of a table gives SEE on the table as well. The tunnel need not exist: a pattern
 *       that matches names of tunnels is enough.
 *   <li>Fixed administrators have all rights; denials do not concern them.
 *   <li>No principal has a right that cannot be granted, except SEE.
 * </ul>
 *
 * <p>A decision asks the {@link PermissionIndex} about the principal and all its groups together,
 * so its cost does not depend on the number of permissions. Only {@link #seesTable} may cost more,
 * where one group's denials meet what a second group allows.
 *
 * <p>One permission more or less costs microseconds, however many permissions there are.
 */
public final class Permissions {

  /** Permissions of one subject on pairs of patterns; every decision looks at each of them. */
  static final int PAIRS_MAX = 64;

  /** ADMIN, allowed and denied, which also applies to resources below its own. */
  private static final int ADMIN_MASKS = allowing(Rights.ADMIN) | denying(Rights.ADMIN);

  /** The identity of this object alone. */
  private final Object mark = new Object();

  private final Set<String> administrators;

  /** All permissions except those on pairs of patterns. */
  private final PermissionIndex index;

  /** Permissions on pairs of patterns, by subject; at most {@value #PAIRS_MAX} of each. */
  private final PersistentMap<List<Permission>> pairs;

  private final Memberships memberships;

  /** The number of unreadable permissions that may deny everything to all principals. */
  private final int unread;

  private Permissions(
      Set<String> administrators,
      PermissionIndex index,
      PersistentMap<List<Permission>> pairs,
      Memberships memberships,
      int unread) {
    this.administrators = administrators;
    this.index = index;
    this.pairs = pairs;
    this.memberships = memberships;
    this.unread = unread;
  }

  /** The permissions of a server on which only the fixed administrators have rights. */
  public static Permissions of(Set<Principal> administrators) {
    Set<String> names =
        administrators.stream().map(Principal::name).collect(Collectors.toUnmodifiableSet());
    return new Permissions(
        names, PermissionIndex.EMPTY, PersistentMap.empty(), Memberships.NONE, 0);
  }

  /** An object that identifies these permissions: caches keep it alongside their decisions. */
  public Object mark() {
    return mark;
  }

  /** Whether the principal has the right on the table. */
  public boolean allows(Principal principal, Right right, String table) {
    return right == Right.SEE
        ? seesTable(principal, table)
        : has(right, left(principal, Kind.TABLE, table, ""));
  }

  /** Whether the principal has the right on the tunnel of the table. */
  public boolean allowsTunnel(Principal principal, Right right, String table, String tunnel) {
    return has(right, left(principal, Kind.TUNNEL, table, tunnel));
  }

  /** Whether the principal has the right on the cluster; SEE with any. */
  public boolean allowsCluster(Principal principal, Right right) {
    return has(right, left(principal, Kind.CLUSTER, "", ""));
  }

  /** Whether the principal may know that the tunnel exists. */
  public boolean seesTunnel(Principal principal, String table, String tunnel) {
    return allowsTunnel(principal, Right.SEE, table, tunnel);
  }

  /** Whether the principal may know that the table exists. */
  public boolean seesTable(Principal principal, String table) {
    if (isFixedAdministrator(principal)) {
      return true;
    }
    if (unread > 0) {
      return false;
    }
    int masks = masks(principal, Kind.TABLE, table, "");
    return PermissionIndex.left(masks) != 0
        || index.leavesTunnel(
            question(principal, table, ""),
            memberships.unread(),
            included(masks),
            pairsOn(principal, table));
  }

  /** Whether the principal has all rights, whatever is denied. */
  public boolean isFixedAdministrator(Principal principal) {
    return administrators.contains(principal.name());
  }

  /** Names of the groups that the principal is in, sorted. */
  public List<String> groupsOf(Principal principal) {
    return memberships.of(principal.name());
  }

  Memberships memberships() {
    return memberships;
  }

  Permissions with(Permission permission) {
    return changed(permission, true);
  }

  /** These permissions without one of them. */
  Permissions without(Permission permission) {
    return changed(permission, false);
  }

  Permissions with(Memberships newMemberships) {
    return new Permissions(administrators, index, pairs, newMemberships, unread);
  }

  /**
   * These permissions with {@code more} unreadable permissions, each a possible denial of all
   * rights.
   */
  Permissions withUnread(int more) {
    return new Permissions(administrators, index, pairs, memberships, unread + more);
  }

  private Permissions changed(Permission permission, boolean isPlus) {
    if (permission.resource().isPair()) {
      return new Permissions(
          administrators, index, changedPairs(permission, isPlus), memberships, unread);
    }
    Grant grant = grant(permission, permission.resource());
    PermissionIndex changed = isPlus ? index.plus(grant) : index.minus(grant);
    return new Permissions(administrators, changed, pairs, memberships, unread);
  }

  private static Grant grant(Permission permission, Resource on) {
    boolean isGroup = Subjects.isGroup(permission.subject());
    String name = isGroup ? Subjects.groupOf(permission.subject()) : permission.subject();
    return new Grant(on.kind(), on.stem(), on.isBeginning(), isGroup, name, permission.masks());
  }

  private PersistentMap<List<Permission>> changedPairs(Permission permission, boolean isPlus) {
    List<Permission> after = new ArrayList<>(pairs(permission.subject()));
    boolean unused = isPlus ? after.add(permission) : after.remove(permission);
    return after.isEmpty()
        ? pairs.without(permission.subject())
        : pairs.with(permission.subject(), List.copyOf(after));
  }

  /** Permissions of a subject on pairs of patterns. */
  List<Permission> pairs(String subject) {
    List<Permission> some = pairs.get(subject);
    return some == null ? List.of() : some;
  }

  /** The masks of a subject's pairs on a tunnel. */
  private int pairMasks(String subject, String table, String tunnel) {
    int masks = 0;
    for (Permission pair : pairs(subject)) {
      if (pair.resource().matches(table, tunnel)) {
        masks |= pair.masks();
      }
    }
    return masks;
  }

  private int pairMasks(String principal, List<String> groups, String table, String tunnel) {
    int masks = principal.isEmpty() ? 0 : pairMasks(principal, table, tunnel);
    for (String group : groups) {
      masks |= pairMasks(Subjects.ofGroup(group), table, tunnel);
    }
    return masks;
  }

  private static boolean has(Right right, int left) {
    return right == Right.SEE ? left != 0 : (left & Rights.bit(right)) != 0;
  }

  /** The rights that are allowed to the principal and not denied. */
  private int left(Principal principal, Kind kind, String table, String tunnel) {
    if (isFixedAdministrator(principal)) {
      return Rights.ALL;
    }
    return unread > 0 ? 0 : PermissionIndex.left(masks(principal, kind, table, tunnel));
  }

  private int masks(Principal principal, Kind kind, String table, String tunnel) {
    int masks = masksOf(kind, question(principal, table, tunnel));
    List<String> unreadGroups = memberships.unread();
    if (unreadGroups.isEmpty()) {
      return masks;
    }
    // Every principal may be in these groups, so their denials apply to every principal.
    int ofUnread = masksOf(kind, new Question(table, tunnel, "", unreadGroups));
    return masks | denying(PermissionIndex.denied(ofUnread));
  }

  private Question question(Principal principal, String table, String tunnel) {
    return new Question(table, tunnel, principal.name(), memberships.of(principal.name()));
  }

  private int masksOf(Kind kind, Question question) {
    int onCluster = index.masks(Kind.CLUSTER, question);
    if (kind == Kind.CLUSTER) {
      return onCluster;
    }
    int onTable = index.masks(Kind.TABLE, question);
    if (kind == Kind.TABLE) {
      return included(onCluster) | onTable;
    }
    int ofPairs =
        pairs.size() == 0
            ? 0
            : pairMasks(
                question.principal(), question.groups(), question.table(), question.tunnel());
    return included(onCluster | onTable) | index.masks(Kind.TUNNEL, question) | ofPairs;
  }

  /** The masks that permissions on a resource give for everything below it: ADMIN's alone. */
  private static int included(int masks) {
    int admin = masks & ADMIN_MASKS;
    return allowing(Rights.included(PermissionIndex.allowed(admin)))
        | denying(Rights.included(PermissionIndex.denied(admin)));
  }

  /**
   * What the pairs of all principals whom {@link #seesTable} asks about grant on the table's
   * tunnels.
   */
  private List<Grant> pairsOn(Principal principal, String table) {
    if (pairs.size() == 0) {
      return List.of();
    }
    return Stream.of(
            Stream.of(principal.name()),
            memberships.of(principal.name()).stream().map(Subjects::ofGroup),
            memberships.unread().stream().map(Subjects::ofGroup))
        .flatMap(subjects -> subjects)
        .distinct()
        .flatMap(subject -> pairs(subject).stream())
        .flatMap(pair -> pair.resource().ofTable(table).stream().map(on -> grant(pair, on)))
        .toList();
  }
}
