package io.tunnel.server.security.index;

import io.tunnel.server.security.index.PermissionIndex.Grant;
import io.tunnel.server.security.index.PermissionIndex.Question;
import java.util.List;

/**
 * The masks that subjects have on one pattern. Never changes.
 *
 * @param principals by name
 * @param groups by name
 */
record SubjectGrants(PersistentMap<Tally> principals, PersistentMap<Tally> groups) {

  static final SubjectGrants NONE = new SubjectGrants(PersistentMap.empty(), PersistentMap.empty());

  boolean isEmpty() {
    return principals.size() == 0 && groups.size() == 0;
  }

  /** The grants after a grant is added or removed. */
  SubjectGrants changed(Grant grant, boolean isPlus) {
    return grant.isGroup()
        ? new SubjectGrants(principals, changed(groups, grant, isPlus))
        : new SubjectGrants(changed(principals, grant, isPlus), groups);
  }

  /** The masks of all subjects that ask. */
  int masks(Question question) {
    int masks = masks(principals, question.principal());
    if (groups.size() > 0) {
      List<String> asking = question.groups();
      for (int i = 0; i < asking.size(); i++) {
        masks |= masks(groups, asking.get(i));
      }
    }
    return masks;
  }

  private static int masks(PersistentMap<Tally> subjects, String name) {
    Tally tally = subjects.get(name);
    return tally == null ? 0 : tally.masks();
  }

  private static PersistentMap<Tally> changed(
      PersistentMap<Tally> subjects, Grant grant, boolean isPlus) {
    return subjects.changed(
        grant.name(),
        Tally.NONE,
        before -> isPlus ? before.plus(grant.masks()) : before.minus(grant.masks()),
        Tally.NONE::equals);
  }
}
