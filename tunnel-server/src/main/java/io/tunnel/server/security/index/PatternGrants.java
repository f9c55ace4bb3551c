package io.tunnel.server.security.index;

import io.tunnel.server.security.index.PermissionIndex.Grant;
import io.tunnel.server.security.index.PermissionIndex.Question;
import java.util.Arrays;

/**
 * The grants on resources of one kind, by pattern and then by subject. Never changes: grants with
 * one change share all but a few nodes of their maps with their predecessor.
 */
final class PatternGrants {

  static final PatternGrants NONE =
      new PatternGrants(PersistentMap.empty(), PersistentMap.empty(), new int[0]);

  /** Grants on one name. */
  private final PersistentMap<SubjectGrants> names;

  /** Grants on all names with one beginning. */
  private final PersistentMap<SubjectGrants> beginnings;

  /** How many grants are on beginnings of each length. */
  private final int[] lengths;

  private PatternGrants(
      PersistentMap<SubjectGrants> names, PersistentMap<SubjectGrants> beginnings, int[] lengths) {
    this.names = names;
    this.beginnings = beginnings;
    this.lengths = lengths;
  }

  /** The grants after a grant is added or removed. */
  PatternGrants changed(Grant grant, boolean isPlus) {
    return grant.isBeginning()
        ? new PatternGrants(names, changed(beginnings, grant, isPlus), counted(grant, isPlus))
        : new PatternGrants(changed(names, grant, isPlus), beginnings, lengths);
  }

  /** The masks that the asking subjects have on a name. */
  int masks(String name, Question question) {
    int masks = masks(names.get(name), question);
    int most = Math.min(lengths.length - 1, name.length());
    for (int length = 0; length <= most; length++) {
      if (lengths[length] > 0) {
        masks |= masks(beginnings.get(name.substring(0, length)), question);
      }
    }
    return masks;
  }

  private static int masks(SubjectGrants grants, Question question) {
    return grants == null ? 0 : grants.masks(question);
  }

  private static PersistentMap<SubjectGrants> changed(
      PersistentMap<SubjectGrants> patterns, Grant grant, boolean isPlus) {
    return patterns.changed(
        grant.stem(),
        SubjectGrants.NONE,
        before -> before.changed(grant, isPlus),
        SubjectGrants::isEmpty);
  }

  private int[] counted(Grant grant, boolean isPlus) {
    int length = grant.stem().length();
    int[] copy = Arrays.copyOf(lengths, Math.max(lengths.length, length + 1));
    copy[length] += isPlus ? 1 : -1;
    return copy;
  }
}
