package io.tunnel.server.security.index;

import java.util.List;

/**
 * Searches for a right on any tunnel of a table that is allowed to a principal and not denied. A
 * tree knows the rights left below each of its nodes. So one look at each tree answers, unless one
 * tree denies a right that a second tree allows; then the search visits the allowing patterns.
 */
final class TunnelSearch {

  /** The trees of the principal and its groups. */
  private final List<PatternTree> own;

  /** Trees whose denials count, but not their allowed rights. */
  private final List<PatternTree> denying;

  /** The masks that hold for all tunnels of the table. */
  private final int above;

  private final String table;
  private int looks;

  TunnelSearch(List<PatternTree> own, List<PatternTree> denying, int above, String table) {
    this.own = own;
    this.denying = denying;
    this.above = above;
    this.table = table;
  }

  boolean finds() {
    int masks = above;
    for (PatternTree tree : own) {
      masks |= tree.matchTunnels(table);
    }
    for (PatternTree tree : denying) {
      masks |= PermissionIndex.denying(PermissionIndex.denied(tree.matchTunnels(table)));
    }
    if (PermissionIndex.left(masks) != 0) {
      return true;
    }
    int denied = PermissionIndex.denied(masks);
    for (PatternTree tree : own) {
      PatternNode node = tree.tunnels(table);
      if (node != null && finds(tree, node, denied)) {
        return true;
      }
    }
    return false;
  }

  private boolean finds(PatternTree tree, PatternNode node, int denied) {
    int left = node.left & ~denied;
    if (left == 0) {
      return false;
    }
    return (left & ~deniedByOthers(tree)) != 0 || findsBelow(node, denied);
  }

  /** The rights that any tree except {@code tree} denies on any tunnel of the table. */
  private int deniedByOthers(PatternTree tree) {
    int denied = 0;
    for (List<PatternTree> some : List.of(own, denying)) {
      for (PatternTree other : some) {
        PatternNode node = other.equals(tree) ? null : other.tunnels(table);
        denied |= node == null ? 0 : node.denied;
      }
    }
    return denied;
  }

  /** Visits the node and its children; rights that are denied above the node are denied in it. */
  private boolean findsBelow(PatternNode node, int deniedAbove) {
    if ((node.left & ~deniedAbove) == 0) {
      return false;
    }
    if (++looks > PermissionIndex.LOOKS_MAX) {
      return true;
    }
    int denied = denied(node, false);
    int leftExact = PermissionIndex.allowed(node.exact.masks()) & ~denied;
    if ((PermissionIndex.allowed(node.begun.masks()) & ~denied) != 0
        || (leftExact != 0 && (leftExact & ~denied(node, true)) != 0)) {
      return true;
    }
    for (PatternNode child : node.children()) {
      if (findsBelow(child, denied)) {
        return true;
      }
    }
    return false;
  }

  /** The rights that all trees deny on the node's name, or on all names that begin with it. */
  private int denied(PatternNode node, boolean isName) {
    int masks = above;
    for (List<PatternTree> some : List.of(own, denying)) {
      for (PatternTree tree : some) {
        masks |= tree.match(node.text, node.to, isName);
      }
    }
    return PermissionIndex.denied(masks);
  }
}
