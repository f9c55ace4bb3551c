package io.tunnel.server.security;

/**
 * What one subject is allowed and denied on tunnels, by pattern, to see what is below a table: a
 * tree of the patterns' texts in which common beginnings are one path. On the way to a name lie all
 * patterns that match it, so one walk answers, however many patterns there are; it has as many
 * steps as patterns part from each other on the way, at most one for each character. Never changes:
 * a tree with a change shares all nodes with it but those on the way, each with at most 65
 * children.
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

  /** With one more permission on the pattern. */
  PatternTree plus(Resource resource, int masks) {
    return new PatternTree(changed(root, resource.stem(), resource.isBeginning(), masks, true));
  }

  /** Without one of the permissions on the pattern, which has one that is so. */
  PatternTree minus(Resource resource, int masks) {
    PatternNode rest = changed(root, resource.stem(), resource.isBeginning(), masks, false);
    return rest.compacted() == null ? EMPTY : new PatternTree(rest);
  }

  /** What all patterns say that match the beginning of a text, or every name that begins so. */
  int match(String text, int end, boolean isName) {
    return walk(text, end, isName);
  }

  /** What all patterns say that match every tunnel of the table. */
  int matchTunnels(String table) {
    return walk(table, table.length() + 1, false);
  }

  /** The node below which all patterns are that begin with {@code TABLE/}; null without one. */
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

  /** Whether the text goes on as the piece of the node does, up to {@code end}. */
  private static boolean isOn(PatternNode node, String text, int end) {
    // The first character has led to the node.
    for (int i = node.from + 1; i < end; i++) {
      if (node.text.charAt(i) != at(text, i)) {
        return false;
      }
    }
    return true;
  }

  /** A character of the text, or the slash behind it. */
  private static char at(String text, int index) {
    return index < text.length() ? text.charAt(index) : SLASH;
  }

  private static PatternNode changed(
      PatternNode node, String stem, boolean isBeginning, int masks, boolean isPlus) {
    if (node.to == stem.length()) {
      Tally before = isBeginning ? node.begun : node.exact;
      Tally after = isPlus ? before.plus(masks) : before.minus(masks);
      return isBeginning
          ? node.withTallies(after, node.exact)
          : node.withTallies(node.begun, after);
    }
    PatternNode child = node.child(stem.charAt(node.to));
    if (child == null) {
      PatternNode leaf = PatternNode.leaf(stem, node.to, Tally.NONE, Tally.NONE);
      return node.withChild(changed(leaf, stem, isBeginning, masks, isPlus));
    }
    int common = common(child, stem);
    PatternNode onWay = common == child.to ? child : child.split(common);
    PatternNode rest = changed(onWay, stem, isBeginning, masks, isPlus).compacted();
    return rest == null ? node.withoutChild(stem.charAt(node.to)) : node.withChild(rest);
  }

  /** Up to where the texts of a node and a pattern are the same. */
  private static int common(PatternNode node, String stem) {
    int end = Math.min(node.to, stem.length());
    int common = node.from;
    while (common < end && node.text.charAt(common) == stem.charAt(common)) {
      common++;
    }
    return common;
  }
}
