package io.tunnel.server.security;

import io.tunnel.wire.Operation.Right;
import java.util.ArrayList;
import java.util.List;
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
 * <p>A decision takes one walk along the name for the principal and one for each of its groups,
 * however many permissions there are, and makes no garbage. Only {@link #seesTable} may take more:
 * where one subject is denied tunnels of the table that another one of the same principal is
 * allowed, it looks for a right that is left, at up to {@value #LOOKS_MAX} patterns; whoever has
 * more such patterns than that sees the table.
 *
 * <p>A permission more or less copies the nodes on the way to its pattern: microseconds, however
 * many permissions its subject or all subjects have.
 */
public final class Permissions {

  /** Patterns that are looked at before a table is shown. */
  static final int LOOKS_MAX = 1_024;

  /** Of these permissions alone. */
  private final Object mark = new Object();

  private final Set<String> administrators;
  private final PersistentMap<Grants> ofPrincipals;
  private final PersistentMap<Grants> ofGroups;
  private final Memberships memberships;

  /** Permissions that cannot be read, and may deny everything to everybody. */
  private final int unread;

  private Permissions(
      Set<String> administrators,
      PersistentMap<Grants> ofPrincipals,
      PersistentMap<Grants> ofGroups,
      Memberships memberships,
      int unread) {
    this.administrators = administrators;
    this.ofPrincipals = ofPrincipals;
    this.ofGroups = ofGroups;
    this.memberships = memberships;
    this.unread = unread;
  }

  /** Those of a server whose only permissions are those of its fixed administrators. */
  public static Permissions of(Set<Principal> administrators) {
    Set<String> names =
        administrators.stream().map(Principal::name).collect(Collectors.toUnmodifiableSet());
    return new Permissions(
        names, PersistentMap.empty(), PersistentMap.empty(), Memberships.NONE, 0);
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
    if (left(principal, Resource.Kind.TABLE, table, "") != 0) {
      return true;
    }
    return unread == 0 && new TunnelSearch(grantsOf(principal), unreadGrants(), table).finds();
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
    return new Permissions(administrators, ofPrincipals, ofGroups, newMemberships, unread);
  }

  /** With so many more permissions that cannot be read. */
  Permissions withUnread(int more) {
    return new Permissions(administrators, ofPrincipals, ofGroups, memberships, unread + more);
  }

  private Permissions changed(Permission permission, boolean isPlus) {
    String subject = permission.subject();
    return Subjects.isGroup(subject)
        ? new Permissions(
            administrators,
            ofPrincipals,
            changed(ofGroups, Subjects.groupOf(subject), permission, isPlus),
            memberships,
            unread)
        : new Permissions(
            administrators,
            changed(ofPrincipals, subject, permission, isPlus),
            ofGroups,
            memberships,
            unread);
  }

  private static PersistentMap<Grants> changed(
      PersistentMap<Grants> all, String name, Permission permission, boolean isPlus) {
    Grants before = all.get(name);
    Grants some = before == null ? Grants.NONE : before;
    Grants after = isPlus ? some.plus(permission) : some.minus(permission);
    return after.isEmpty() ? all.without(name) : all.with(name, after);
  }

  private static boolean has(Right right, int left) {
    return right == Right.SEE ? left != 0 : (left & Rights.bit(right)) != 0;
  }

  /** The rights that are allowed to the principal and not denied. */
  private int left(Principal principal, Resource.Kind kind, String table, String tunnel) {
    String name = principal.name();
    if (administrators.contains(name)) {
      return Rights.ALL;
    }
    if (unread > 0) {
      return 0;
    }
    Grants own = ofPrincipals.get(name);
    int masks = own == null ? 0 : own.masks(kind, table, tunnel);
    List<String> groups = memberships.of(name);
    for (int i = 0; i < groups.size(); i++) {
      Grants grants = ofGroups.get(groups.get(i));
      masks |= grants == null ? 0 : grants.masks(kind, table, tunnel);
    }
    for (Grants grants : unreadGrants()) {
      masks |= Rights.denying(Rights.denied(grants.masks(kind, table, tunnel)));
    }
    return Rights.left(masks);
  }

  private List<Grants> grantsOf(Principal principal) {
    List<Grants> all = new ArrayList<>();
    Grants own = ofPrincipals.get(principal.name());
    if (own != null) {
      all.add(own);
    }
    addGroups(memberships.of(principal.name()), all);
    return all;
  }

  /** Those of groups whose members cannot be read: what they deny is denied to everybody. */
  private List<Grants> unreadGrants() {
    if (memberships.unread().isEmpty()) {
      return List.of();
    }
    List<Grants> all = new ArrayList<>();
    addGroups(memberships.unread(), all);
    return all;
  }

  private void addGroups(Iterable<String> groups, List<Grants> all) {
    for (String group : groups) {
      Grants grants = ofGroups.get(group);
      if (grants != null) {
        all.add(grants);
      }
    }
  }
}
