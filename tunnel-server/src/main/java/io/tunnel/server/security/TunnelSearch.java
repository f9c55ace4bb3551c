package io.tunnel.server.security;

import java.util.List;

/**
 * Looks for a right on any tunnel of a table that is allowed to a principal and not denied. A tree
 * knows what itself leaves below each of its nodes, so one look at each tree answers unless one
 * denies what another allows; then the patterns that allow are gone through.
 */
final class TunnelSearch {

  /** Of the principal and its groups. */
  private final List<PatternTree> own;

  /** Of others: only what these deny counts. */
  private final List<PatternTree> denying;

  /** What is allowed and denied on all tunnels of the table by what is said of the table. */
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
      masks |= Rights.denying(Rights.denied(tree.matchTunnels(table)));
    }
    if (Rights.left(masks) != 0) {
      return true;
    }
    int denied = Rights.denied(masks);
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

  /** What any other tree denies to any tunnel of the table. */
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

  /** What is denied above the node is denied in it. */
  private boolean findsBelow(PatternNode node, int deniedAbove) {
    if ((node.left & ~deniedAbove) == 0) {
      return false;
    }
    if (++looks > Permissions.LOOKS_MAX) {
      return true;
    }
    int denied = denied(node, false);
    int leftExact = Rights.allowed(node.exact.masks()) & ~denied;
    if ((Rights.allowed(node.begun.masks()) & ~denied) != 0
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

  /** What all trees deny to the name at the node, or to all names that begin with it. */
  private int denied(PatternNode node, boolean isName) {
    int masks = above;
    for (List<PatternTree> some : List.of(own, denying)) {
      for (PatternTree tree : some) {
        masks |= tree.match(node.text, node.to, isName);
      }
    }
    return Rights.denied(masks);
  }
}
