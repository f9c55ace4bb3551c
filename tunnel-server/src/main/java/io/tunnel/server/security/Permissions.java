package io.tunnel.server.security;

import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides who may do what. What nothing allows is denied, and what anything denies is denied too:
 * permissions of a principal and of its groups, on names and on their beginnings, count alike.
 * Never changes; for any thread.
 *
 * <ul>
 *   <li>ADMIN on a table is all rights on the table and on all its tunnels; ADMIN on the cluster is
 *       all rights on everything. Who is denied ADMIN is denied all of them there.
 *   <li>SEE is had by whoever has any right on a thing that is left by what is denied; the right on
 *       some tunnel of a table lets the table be seen as well. Tunnels need not exist for that: a
 *       pattern that matches names of tunnels is enough.
 *   <li>Fixed administrators have all rights, whatever is denied to them.
 *   <li>Rights that cannot be granted, except SEE, are had by nobody.
 * </ul>
 *
 * <p>A decision looks into one {@link PermissionIndex}, for the principal and all its groups
 * together, once for the name and once for each length that beginnings have, however many
 * permissions there are. Only {@link #seesTable} may take more: where one subject is denied tunnels
 * of the table that another one of the same principal is allowed, it looks for a right that is
 * left, at up to {@value #LOOKS_MAX} patterns; whoever has more such patterns than that sees the
 * table.
 *
 * <p>A permission more or less copies what is on the way to its pattern: microseconds, however many
 * permissions its subject or all subjects have.
 */
public final class Permissions {

  /** Patterns that are looked at before a table is shown. */
  static final int LOOKS_MAX = 1_024;

  /** Permissions of one subject on pairs of patterns, each of which every decision looks at. */
  static final int PAIRS_MAX = 64;

  /** Of these permissions alone. */
  private final Object mark = new Object();

  private final Set<String> administrators;
  private final PermissionIndex index;

  /** Patterns of tunnels by subject, as permissions name it: for {@link #seesTable} alone. */
  private final PersistentMap<PatternTree> tunnels;

  /** Permissions on pairs of patterns, by subject; at most {@value #PAIRS_MAX} of each. */
  private final PersistentMap<List<Permission>> pairs;

  private final Memberships memberships;

  /** Permissions that cannot be read, and may deny everything to everybody. */
  private final int unread;

  private Permissions(
      Set<String> administrators,
      PermissionIndex index,
      PersistentMap<PatternTree> tunnels,
      PersistentMap<List<Permission>> pairs,
      Memberships memberships,
      int unread) {
    this.administrators = administrators;
    this.index = index;
    this.tunnels = tunnels;
    this.pairs = pairs;
    this.memberships = memberships;
    this.unread = unread;
  }

  /** Those of a server whose only permissions are those of its fixed administrators. */
  public static Permissions of(Set<Principal> administrators) {
    Set<String> names =
        administrators.stream().map(Principal::name).collect(Collectors.toUnmodifiableSet());
    return new Permissions(
        names,
        PermissionIndex.EMPTY,
        PersistentMap.empty(),
        PersistentMap.empty(),
        Memberships.NONE,
        0);
  }

  /** What no other permissions have: decisions are remembered beside it. */
  public Object mark() {
    return mark;
  }

  /** Whether the principal has the right on the table. */
  public boolean allows(Principal principal, Right right, String table) {
    return right == Right.SEE
        ? seesTable(principal, table)
        : has(right, left(principal, Resource.Kind.TABLE, table, ""));
  }

  /** Whether the principal has the right on the tunnel of the table. */
  public boolean allowsTunnel(Principal principal, Right right, String table, String tunnel) {
    return has(right, left(principal, Resource.Kind.TUNNEL, table, tunnel));
  }

  /** Whether the principal has the right on the cluster; SEE with any. */
  public boolean allowsCluster(Principal principal, Right right) {
    return has(right, left(principal, Resource.Kind.CLUSTER, "", ""));
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
    int masks = masks(principal, Resource.Kind.TABLE, table, "");
    return Rights.left(masks) != 0
        || new TunnelSearch(
                treesOf(principal, table),
                treesOfUnread(table),
                PermissionIndex.included(masks),
                table)
            .finds();
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

  /** The permission is one of these. */
  Permissions without(Permission permission) {
    return changed(permission, false);
  }

  Permissions with(Memberships newMemberships) {
    return new Permissions(administrators, index, tunnels, pairs, newMemberships, unread);
  }

  /** With so many more permissions that cannot be read. */
  Permissions withUnread(int more) {
    return new Permissions(administrators, index, tunnels, pairs, memberships, unread + more);
  }

  private Permissions changed(Permission permission, boolean isPlus) {
    if (permission.resource().isPair()) {
      return new Permissions(
          administrators, index, tunnels, changedPairs(permission, isPlus), memberships, unread);
    }
    return new Permissions(
        administrators,
        isPlus ? index.plus(permission) : index.minus(permission),
        permission.resource().kind() == Resource.Kind.TUNNEL
            ? changedTunnels(permission, isPlus)
            : tunnels,
        pairs,
        memberships,
        unread);
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

  /** What the pairs of a subject say of a tunnel. */
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

  private PersistentMap<PatternTree> changedTunnels(Permission permission, boolean isPlus) {
    PatternTree before = tunnels.get(permission.subject());
    PatternTree some = before == null ? PatternTree.EMPTY : before;
    PatternTree after =
        isPlus
            ? some.plus(permission.resource(), permission.masks())
            : some.minus(permission.resource(), permission.masks());
    return after.isEmpty()
        ? tunnels.without(permission.subject())
        : tunnels.with(permission.subject(), after);
  }

  private static boolean has(Right right, int left) {
    return right == Right.SEE ? left != 0 : (left & Rights.bit(right)) != 0;
  }

  /** The rights that are allowed to the principal and not denied. */
  private int left(Principal principal, Resource.Kind kind, String table, String tunnel) {
    if (isFixedAdministrator(principal)) {
      return Rights.ALL;
    }
    return unread > 0 ? 0 : Rights.left(masks(principal, kind, table, tunnel));
  }

  private int masks(Principal principal, Resource.Kind kind, String table, String tunnel) {
    String name = principal.name();
    List<String> groups = memberships.of(name);
    int masks = masksOf(kind, new PermissionIndex.Question(table, tunnel, name, groups));
    List<String> unreadGroups = memberships.unread();
    if (unreadGroups.isEmpty()) {
      return masks;
    }
    // Everybody may be in these groups: what they deny is denied to everybody.
    return masks
        | denied(masksOf(kind, new PermissionIndex.Question(table, tunnel, "", unreadGroups)));
  }

  private int masksOf(Resource.Kind kind, PermissionIndex.Question question) {
    int masks = index.masks(kind, question);
    return kind != Resource.Kind.TUNNEL || pairs.size() == 0
        ? masks
        : masks
            | pairMasks(
                question.principal(), question.groups(), question.table(), question.tunnel());
  }

  private static int denied(int masks) {
    return Rights.denying(Rights.denied(masks));
  }

  private List<PatternTree> treesOf(Principal principal, String table) {
    List<PatternTree> all = new ArrayList<>();
    addTree(principal.name(), table, all);
    addGroups(memberships.of(principal.name()), table, all);
    return all;
  }

  private List<PatternTree> treesOfUnread(String table) {
    List<PatternTree> all = new ArrayList<>();
    addGroups(memberships.unread(), table, all);
    return all;
  }

  private void addGroups(List<String> groups, String table, List<PatternTree> all) {
    for (String group : groups) {
      addTree(Subjects.ofGroup(group), table, all);
    }
  }

  /** The subject's patterns, with what its pairs say of the tunnels of the table. */
  private void addTree(String subject, String table, List<PatternTree> all) {
    PatternTree some = tunnels.get(subject);
    PatternTree tree = some == null ? PatternTree.EMPTY : some;
    for (Permission pair : pairs(subject)) {
      Optional<Resource> there = pair.resource().ofTable(table);
      if (there.isPresent()) {
        tree = tree.plus(there.get(), pair.masks());
      }
    }
    if (!tree.isEmpty()) {
      all.add(tree);
    }
  }
}
