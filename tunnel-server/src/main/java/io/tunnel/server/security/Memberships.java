package io.tunnel.server.security;

import io.tunnel.server.security.index.PersistentMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The groups of each principal. Never changes.
 *
 * @param groups by name
 * @param ofPrincipals sorted names of groups, by the name of their member
 * @param unread sorted names of groups whose members cannot be read: every principal may be a
 *     member
 */
record Memberships(
    PersistentMap<SecuritySnapshot.Group> groups,
    PersistentMap<List<String>> ofPrincipals,
    List<String> unread) {

  /** No principal is in a group. */
  static final Memberships NONE =
      new Memberships(PersistentMap.empty(), PersistentMap.empty(), List.of());

  /** The groups of a principal. */
  List<String> of(String principal) {
    List<String> names = ofPrincipals.get(principal);
    return names == null ? List.of() : names;
  }

  /** These memberships with a new version of the group. */
  Memberships with(SecuritySnapshot.Group group) {
    Memberships rest = without(group.name());
    PersistentMap<List<String>> of = rest.ofPrincipals;
    for (Principal member : group.members()) {
      List<String> names = new ArrayList<>(rest.of(member.name()));
      names.add(group.name());
      Collections.sort(names);
      of = of.with(member.name(), List.copyOf(names));
    }
    return new Memberships(rest.groups.with(group.name(), group), of, rest.unread);
  }

  /** These memberships with a group whose members cannot be read. */
  Memberships withUnread(String name) {
    Memberships rest = without(name);
    Set<String> names = new TreeSet<>(rest.unread);
    names.add(name);
    return new Memberships(rest.groups, rest.ofPrincipals, List.copyOf(names));
  }

  /** These memberships without the group, readable or not. */
  Memberships without(String name) {
    PersistentMap<List<String>> of = ofPrincipals;
    SecuritySnapshot.Group group = groups.get(name);
    for (Principal member : group == null ? Set.<Principal>of() : group.members()) {
      List<String> names = of(member.name()).stream().filter(each -> !each.equals(name)).toList();
      of = names.isEmpty() ? of.without(member.name()) : of.with(member.name(), names);
    }
    Set<String> rest = new TreeSet<>(unread);
    rest.remove(name);
    return new Memberships(groups.without(name), of, List.copyOf(rest));
  }
}
