package io.tunnel.server.security;

import java.util.List;

/**
 * Looks for a right on any tunnel of a table that is allowed to a principal and not denied. A tree
 * knows what itself leaves below each of its nodes, so one look at each tree answers unless one
 * denies what another allows; then the patterns that allow are gone through.
 */
final class TunnelSearch {

  /** Of the principal and its groups. */
  private final List<Grants> own;

  /** Of others: only what these deny counts. */
  private final List<Grants> denying;

  private final String table;
  private int looks;

  TunnelSearch(List<Grants> own, List<Grants> denying, String table) {
    this.own = own;
    this.denying = denying;
    this.table = table;
  }

  boolean finds() {
    int masks = 0;
    for (Grants grants : own) {
      masks |= grants.masksOfTunnels(table);
    }
    for (Grants grants : denying) {
      masks |= Rights.denying(Rights.denied(grants.masksOfTunnels(table)));
    }
    if (Rights.left(masks) != 0) {
      return true;
    }
    int denied = Rights.denied(masks);
    for (Grants grants : own) {
      PatternNode node = grants.tunnels().tunnels(table);
      if (node != null && finds(grants, node, denied)) {
        return true;
      }
    }
    return false;
  }

  private boolean finds(Grants grants, PatternNode node, int denied) {
    int left = node.left & ~denied;
    if (left == 0) {
      return false;
    }
    return (left & ~deniedByOthers(grants)) != 0 || findsBelow(node, denied);
  }

  /** What any other tree denies to any tunnel of the table. */
  private int deniedByOthers(Grants grants) {
    int denied = 0;
    for (List<Grants> some : List.of(own, denying)) {
      for (Grants other : some) {
        PatternNode node = other.equals(grants) ? null : other.tunnels().tunnels(table);
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
    int masks = 0;
    for (List<Grants> some : List.of(own, denying)) {
      for (Grants grants : some) {
        masks |= grants.masksOfTunnels(table, node.text, node.to, isName);
      }
    }
    return Rights.denied(masks);
  }
}
