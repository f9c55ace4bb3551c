package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keeps deputies within their rights. A deputy has {@code admin} on the cluster by a permission,
 * and rights may be denied to it; to a fixed administrator of the security directory no right can
 * be denied. A deputy cannot give a right that is denied to itself: not by a permission, not by
 * lifting a denial, not by a group, and not by a key or token of a principal with that right. And a
 * deputy takes nothing from a principal with more rights than its own: no key, token, permission,
 * group, quota or row session.
 *
 * <p>Belongs to one request on the control thread.
 */
final class Deputies {

  private static final String GROUP = "group:";

  /**
   * Denials of a deputy that are compared with a gift; a deputy with more denials gives no rights.
   */
  static final int DENIALS_MAX = 100;

  /**
   * Permissions of a principal that are compared; a deputy changes nothing of a principal with
   * more.
   */
  static final int GIFTS_MAX = 10_000;

  private final SecuritySnapshot snapshot;
  private final Gate gate;
  private final Caller caller;

  /** Empty before the first question. */
  private Optional<List<Permission>> lacking = Optional.empty();

  Deputies(SecuritySnapshot snapshot, Gate gate, Caller caller) {
    this.snapshot = snapshot;
    this.gate = gate;
    this.caller = caller;
  }

  /**
   * Refuses to change the keys, tokens, permissions or quota of a principal that has a right which
   * is denied to the caller.
   *
   * @throws RefusedException NOT_PERMITTED
   */
  void requireMayChange(Principal principal) {
    if (caller.mayDoEverything()) {
      return;
    }
    if (gate.isAdministrator(principal)) {
      throw refusal(
          "'"
              + principal.name()
              + "' is an administrator of the security directory, whose keys, tokens, permissions"
              + " and quota only such an administrator changes");
    }
    requireNoMoreRights(List.of(principal));
  }

  /** Refuses to change the quota of a principal with more rights, or of a table without ADMIN. */
  void requireMayLimit(String subject) {
    Optional<String> table = Quota.tableOf(subject);
    if (table.isEmpty()) {
      requireMayChange(new Principal(subject));
    } else if (!caller.may(Right.ADMIN, table.get())) {
      throw caller.notPermitted(Right.ADMIN, "table " + table.get());
    }
  }

  /**
   * Refuses a permission that allows a right which is denied to the caller, and a denial for a
   * subject with more rights, or of what is denied to the caller.
   */
  void requireMayGrant(Permission permission) {
    if (caller.mayDoEverything()) {
      return;
    }
    if (permission.isAllow()) {
      requireMine(permission.subject(), List.of(permission), denials(permission.subject()));
    } else {
      requireMayTake(permission);
    }
  }

  /**
   * Refuses to lift a denial that also concerns the caller, and to withdraw a permission from a
   * subject with more rights, or on what is denied to the caller.
   */
  void requireMayWithdraw(Permission permission) {
    if (caller.mayDoEverything()) {
      return;
    }
    if (permission.isAllow()) {
      requireMayTake(permission);
    } else {
      requireMine(permission.subject(), List.of(permission), List.of());
    }
  }

  private void requireMayTake(Permission taken) {
    for (Permission lack : lacking()) {
      if (lack.covers(taken)) {
        throw refusal(
            "'"
                + caller.name()
                + "' is denied rights on "
                + lack.on()
                + ", and so cannot change who has them; an administrator of the security directory"
                + " can");
      }
    }
    if (taken.subject().startsWith(GROUP)) {
      String name = taken.subject().substring(GROUP.length());
      List<Permission> ofGroup = permissionsOf(Set.of(taken.subject()), taken.subject());
      requireMine(taken.subject(), allowed(ofGroup), denied(ofGroup));
      snapshot.group(name).ifPresent(group -> requireNoMoreRights(group.members()));
    } else {
      requireMayChange(new Principal(taken.subject()));
    }
  }

  /**
   * Refuses new members of a group with rights that are denied to the caller, the removal of
   * members to whom the group's denials apply, and both for members with more rights.
   */
  void requireMayChange(SecuritySnapshot.Group before, SecuritySnapshot.Group after) {
    if (caller.mayDoEverything()) {
      return;
    }
    String subject = GROUP + before.name();
    List<Permission> ofGroup = permissionsOf(Set.of(subject), subject);
    Set<Principal> added = new HashSet<>(after.members());
    added.removeAll(before.members());
    Set<Principal> removed = new HashSet<>(before.members());
    removed.removeAll(after.members());
    if (!added.isEmpty()) {
      requireMine(subject, allowed(ofGroup), denied(ofGroup));
    }
    if (!removed.isEmpty()) {
      requireMine(subject, denied(ofGroup), List.of());
    }
    requireNoMoreRights(added);
    requireNoMoreRights(removed);
  }

  /**
   * Refuses principals of whom one has a right that is denied to the caller. Fixed administrators
   * are left out: no permission and no group changes what they may do.
   */
  private void requireNoMoreRights(Collection<Principal> principals) {
    List<Principal> bound = principals.stream().filter(one -> !gate.isAdministrator(one)).toList();
    if (bound.isEmpty() || lacking().isEmpty()) {
      return;
    }
    Map<Principal, Set<String>> subjects = new HashMap<>();
    bound.forEach(one -> subjects.put(one, subjects(one)));
    Map<String, List<Permission>> bySubject =
        permissionsOf(
                subjects.values().stream().flatMap(Set::stream).collect(Collectors.toSet()),
                bound.size() == 1 ? bound.get(0).name() : bound.size() + " members of the group")
            .stream()
            .collect(Collectors.groupingBy(Permission::subject));
    subjects.forEach(
        (principal, mine) -> {
          List<Permission> own =
              mine.stream()
                  .flatMap(subject -> bySubject.getOrDefault(subject, List.of()).stream())
                  .toList();
          requireMine(principal.name(), allowed(own), denied(own));
        });
  }

  private List<Permission> permissionsOf(Set<String> subjects, String whose) {
    List<Permission> all =
        snapshot.permissions("", GIFTS_MAX + 1, one -> subjects.contains(one.subject()));
    requireBounded(all, GIFTS_MAX, whose);
    return all;
  }

  private static List<Permission> allowed(List<Permission> all) {
    return all.stream().filter(Permission::isAllow).toList();
  }

  private static List<Permission> denied(List<Permission> all) {
    return all.stream().filter(one -> !one.isAllow()).toList();
  }

  /** The denials that the caller is under. */
  private List<Permission> lacking() {
    if (lacking.isEmpty()) {
      Principal self = caller.principal().orElseThrow();
      Set<String> mine = subjects(self);
      List<Permission> found =
          snapshot.permissions(
              "", DENIALS_MAX + 1, one -> !one.isAllow() && mine.contains(one.subject()));
      requireBounded(found, DENIALS_MAX, self.name());
      lacking = Optional.of(found);
    }
    return lacking.get();
  }

  /**
   * @param given permissions that the subject gets
   * @param kept denials that stay for the subject
   */
  private void requireMine(
      String subject, Collection<Permission> given, Collection<Permission> kept) {
    for (Permission lack : lacking()) {
      Optional<Permission> beyond =
          kept.stream().anyMatch(denial -> denial.covers(lack))
              ? Optional.empty()
              : given.stream().filter(gift -> gift.meets(lack)).findFirst();
      if (beyond.isPresent()) {
        throw refusal(
            "'"
                + caller.name()
                + "' is denied rights on "
                + lack.on()
                + ", so it cannot change what '"
                + subject
                + "' has on "
                + beyond.get().on()
                + "; an administrator of the security directory can");
      }
    }
  }

  private List<Permission> denials(String subject) {
    Set<String> subjects =
        subject.startsWith(GROUP) ? Set.of(subject) : subjects(new Principal(subject));
    return snapshot.permissions(
        "", GIFTS_MAX, one -> !one.isAllow() && subjects.contains(one.subject()));
  }

  private Set<String> subjects(Principal principal) {
    Set<String> subjects = new HashSet<>(Set.of(principal.name()));
    snapshot.permissions().groupsOf(principal).forEach(group -> subjects.add(GROUP + group));
    return subjects;
  }

  private static void requireBounded(List<Permission> found, int max, String subject) {
    if (found.size() > max) {
      throw refusal(
          "'"
              + subject
              + "' has more than "
              + max
              + " permissions, too many to compare; an administrator of the security directory can"
              + " do this");
    }
  }

  private static RefusedException refusal(String why) {
    return new RefusedException(ErrorCode.NOT_PERMITTED, why);
  }
}
