package io.tunnel.server.security.index;

/**
 * The masks of one subject on tunnels, by pattern, to find out what is left to it below a table. A
 * tree of the patterns' texts in which common beginnings are one path: all patterns that match a
 * name lie on the path to the name. So a walk along the name answers, with a step wherever patterns
 * part, at most one for each character. Never changes: a tree with one change shares all nodes with
 * its predecessor except those on the path, each with at most 65 children.
 */
final class PatternTree {

  /** Without a pattern. */
  static final PatternTree EMPTY = new PatternTree(PatternNode.EMPTY);

  private static final char SLASH = '/';

  private final PatternNode root;

  private PatternTree(PatternNode root) {
    this.root = root;
  }

  boolean isEmpty() {
    return root == PatternNode.EMPTY;
  }

  /** This tree with one more grant. */
  PatternTree plus(PermissionIndex.Grant grant) {
    return new PatternTree(changed(root, grant, true));
  }

  /** This tree without one of its grants. */
  PatternTree minus(PermissionIndex.Grant grant) {
    PatternNode rest = changed(root, grant, false);
    return rest.compacted() == null ? EMPTY : new PatternTree(rest);
  }

  /** The masks of all patterns that match a name, or that match every name with a beginning. */
  int match(String text, int end, boolean isName) {
    return walk(text, end, isName);
  }

  /** The masks of all patterns that match every tunnel of the table. */
  int matchTunnels(String table) {
    return walk(table, table.length() + 1, false);
  }

  /** The node above all patterns that begin with {@code TABLE/}; null without such patterns. */
  PatternNode tunnels(String table) {
    int end = table.length() + 1;
    PatternNode node = root;
    while (node != null && node.to < end) {
      PatternNode child = node.child(at(table, node.to));
      node = child == null || !isOn(child, table, Math.min(child.to, end)) ? null : child;
    }
    return node;
  }

  private int walk(String text, int end, boolean isName) {
    PatternNode node = root;
    int masks = node.begun.masks();
    while (node.to < end) {
      node = node.child(at(text, node.to));
      if (node == null || node.to > end || !isOn(node, text, node.to)) {
        return masks;
      }
      masks |= node.begun.masks();
    }
    return isName ? masks | node.exact.masks() : masks;
  }

  /** Whether the text continues like the piece of the node, up to {@code end}. */
  private static boolean isOn(PatternNode node, String text, int end) {
    // The first character has led to the node.
    for (int i = node.from + 1; i < end; i++) {
      if (node.text.charAt(i) != at(text, i)) {
        return false;
      }
    }
    return true;
  }

  /** A character of the text, or the slash after it. */
  private static char at(String text, int index) {
    return index < text.length() ? text.charAt(index) : SLASH;
  }

  private static PatternNode changed(
      PatternNode node, PermissionIndex.Grant grant, boolean isPlus) {
    String stem = grant.stem();
    if (node.to == stem.length()) {
      Tally before = grant.isBeginning() ? node.begun : node.exact;
      Tally after = isPlus ? before.plus(grant.masks()) : before.minus(grant.masks());
      return grant.isBeginning()
          ? node.withTallies(after, node.exact)
          : node.withTallies(node.begun, after);
    }
    PatternNode child = node.child(stem.charAt(node.to));
    if (child == null) {
      PatternNode leaf = PatternNode.leaf(stem, node.to, Tally.NONE, Tally.NONE);
      return node.withChild(changed(leaf, grant, isPlus));
    }
    int common = common(child, stem);
    PatternNode onPath = common == child.to ? child : child.split(common);
    PatternNode rest = changed(onPath, grant, isPlus).compacted();
    return rest == null ? node.withoutChild(stem.charAt(node.to)) : node.withChild(rest);
  }

  /** The end of the common beginning of a node's text and a pattern. */
  private static int common(PatternNode node, String stem) {
    int end = Math.min(node.to, stem.length());
    int common = node.from;
    while (common < end && node.text.charAt(common) == stem.charAt(common)) {
      common++;
    }
    return common;
  }
}
