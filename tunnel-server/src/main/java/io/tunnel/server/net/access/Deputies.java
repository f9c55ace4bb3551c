package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps deputies within their rights. A deputy has {@code admin} on the cluster by a permission,
 * and rights may be denied to it; to a fixed administrator of the security directory no right can
 * be denied. A deputy cannot give a right that is denied to itself: not by a permission, not by
 * lifting a denial, not by a group, and not by a key or token of a principal with that right.
 *
 * <p>Belongs to one request on the control thread.
 */
record Deputies(SecuritySnapshot snapshot, Gate gate, Caller caller) {

  /**
   * Denials of a deputy that are compared with a gift; a deputy with more denials gives no rights.
   */
  static final int DENIALS_MAX = 100;

  /**
   * Permissions of a principal that are compared; a deputy makes no key for a principal with more.
   */
  static final int GIFTS_MAX = 10_000;

  /**
   * Refuses a key or token for a principal that has a right which is denied to the caller.
   *
   * @throws RefusedException NOT_PERMITTED
   */
  void requireMayStandFor(Principal principal) {
    if (caller.mayDoEverything()) {
      return;
    }
    if (gate.isAdministrator(principal)) {
      throw refusal(
          "'"
              + principal.name()
              + "' is an administrator of the security directory, whose keys and tokens only such"
              + " an administrator makes");
    }
    Set<String> subjects = subjects(principal);
    List<Permission> all =
        snapshot.permissions("", GIFTS_MAX + 1, one -> subjects.contains(one.subject()));
    requireBounded(all, GIFTS_MAX, principal.name());
    requireMine(
        principal.name(),
        all.stream().filter(Permission::isAllow).toList(),
        all.stream().filter(one -> !one.isAllow()).toList());
  }

  /** Refuses a permission that allows a right which is denied to the caller. */
  void requireMayGrant(Permission permission) {
    if (permission.isAllow() && !caller.mayDoEverything()) {
      requireMine(permission.subject(), List.of(permission), denials(permission.subject()));
    }
  }

  /** Refuses to lift a denial that also concerns the caller. */
  void requireMayLift(Permission denial) {
    if (!denial.isAllow() && !caller.mayDoEverything()) {
      requireMine(denial.subject(), List.of(denial), List.of());
    }
  }

  /**
   * Refuses new members of a group with rights that are denied to the caller, and the removal of
   * members to whom the group's denials apply.
   */
  void requireMayChange(SecuritySnapshot.Group before, SecuritySnapshot.Group after) {
    if (caller.mayDoEverything()) {
      return;
    }
    String subject = "group:" + before.name();
    List<Permission> ofGroup =
        snapshot.permissions("", GIFTS_MAX + 1, one -> one.subject().equals(subject));
    requireBounded(ofGroup, GIFTS_MAX, subject);
    List<Permission> denials = ofGroup.stream().filter(one -> !one.isAllow()).toList();
    if (!before.members().containsAll(after.members())) {
      requireMine(subject, ofGroup.stream().filter(Permission::isAllow).toList(), denials);
    }
    if (!after.members().containsAll(before.members())) {
      requireMine(subject, denials, List.of());
    }
  }

  /**
   * @param given permissions that the subject gets
   * @param kept denials that stay for the subject
   */
  private void requireMine(
      String subject, Collection<Permission> given, Collection<Permission> kept) {
    Principal self = caller.principal().orElseThrow();
    Set<String> mine = subjects(self);
    List<Permission> lacking =
        snapshot.permissions(
            "", DENIALS_MAX + 1, one -> !one.isAllow() && mine.contains(one.subject()));
    requireBounded(lacking, DENIALS_MAX, self.name());
    for (Permission lack : lacking) {
      Optional<Permission> beyond =
          kept.stream().anyMatch(denial -> denial.covers(lack))
              ? Optional.empty()
              : given.stream().filter(gift -> gift.meets(lack)).findFirst();
      if (beyond.isPresent()) {
        throw refusal(
            "'"
                + self.name()
                + "' is denied rights on "
                + lack.on()
                + ", and so cannot give '"
                + subject
                + "' rights on "
                + beyond.get().on()
                + "; an administrator of the security directory can");
      }
    }
  }

  private List<Permission> denials(String subject) {
    Set<String> subjects =
        subject.startsWith("group:") ? Set.of(subject) : subjects(new Principal(subject));
    return snapshot.permissions(
        "", GIFTS_MAX, one -> !one.isAllow() && subjects.contains(one.subject()));
  }

  private Set<String> subjects(Principal principal) {
    Set<String> subjects = new HashSet<>(Set.of(principal.name()));
    snapshot.permissions().groupsOf(principal).forEach(group -> subjects.add("group:" + group));
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
