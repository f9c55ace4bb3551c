package io.tunnel.server.security.index;

import java.util.Arrays;

/**
 * A node of a {@link PatternTree}: a piece of text, the masks of the patterns that end after the
 * piece, and the nodes of longer patterns. Never changes.
 *
 * <p>The path from the root to the node spells the beginning of {@code text} up to {@code to}; the
 * node's own piece begins at {@code from}. So a node needs no text of its own: it borrows the text
 * of a pattern below it.
 */
final class PatternNode {

  /** A node without a pattern. */
  static final PatternNode EMPTY =
      new PatternNode("", 0, 0, Tally.NONE, Tally.NONE, 0, new PatternNode[0]);

  /** A character that no name has. */
  private static final int FOREIGN = -1;

  /** The only character of patterns without a bit among the letters. */
  private static final int SLASH = 64;

  final String text;
  final int from;
  final int to;

  /** The masks of patterns that end here with a {@code *}. */
  final Tally begun;

  /** The masks of complete names that end here. */
  final Tally exact;

  /** Rights left on some name at or below this node, by the patterns from this node on. */
  final int left;

  /** Rights that are denied on some name at or below this node. */
  final int denied;

  /** The characters that children begin with, one bit for each of the 64 letters of names. */
  private final long letters;

  /** One child for each bit of {@code letters}, from the lowest bit; then the slash's child. */
  private final PatternNode[] children;

  private PatternNode(
      String text,
      int from,
      int to,
      Tally begun,
      Tally exact,
      long letters,
      PatternNode[] children) {
    this.text = text;
    this.from = from;
    this.to = to;
    this.begun = begun;
    this.exact = exact;
    this.letters = letters;
    this.children = children;
    int leftBelow = PermissionIndex.allowed(begun.masks()) | PermissionIndex.left(exact.masks());
    int deniedBelow = PermissionIndex.denied(begun.masks() | exact.masks());
    for (PatternNode child : children) {
      leftBelow |= child.left;
      deniedBelow |= child.denied;
    }
    this.left = leftBelow & ~PermissionIndex.denied(begun.masks());
    this.denied = deniedBelow;
  }

  /** A node without children, whose piece is the rest of the text. */
  static PatternNode leaf(String text, int from, Tally begun, Tally exact) {
    return new PatternNode(text, from, text.length(), begun, exact, 0, EMPTY.children);
  }

  /** The children; not to be changed. */
  PatternNode[] children() {
    return children;
  }

  /** The child that begins with the character; null without one. */
  PatternNode child(char next) {
    int symbol = symbol(next);
    return symbol == FOREIGN || !has(symbol) ? null : children[place(symbol)];
  }

  /** This node with other tallies. */
  PatternNode withTallies(Tally newBegun, Tally newExact) {
    return new PatternNode(text, from, to, newBegun, newExact, letters, children);
  }

  /** This node with that child, which replaces the child with the same first character. */
  PatternNode withChild(PatternNode child) {
    int symbol = symbol(child.text.charAt(child.from));
    if (symbol == FOREIGN) {
      throw new IllegalStateException("a pattern with '" + child.text.charAt(child.from) + "'");
    }
    int place = place(symbol);
    int replaced = has(symbol) ? 1 : 0;
    PatternNode[] copy = new PatternNode[children.length + 1 - replaced];
    System.arraycopy(children, 0, copy, 0, place);
    copy[place] = child;
    System.arraycopy(
        children, place + replaced, copy, place + 1, children.length - place - replaced);
    return withChildren(letters | bit(symbol), copy);
  }

  /** This node without the child that begins with the character; the child must exist. */
  PatternNode withoutChild(char next) {
    int symbol = symbol(next);
    int place = place(symbol);
    PatternNode[] copy = Arrays.copyOf(children, children.length - 1);
    System.arraycopy(children, place + 1, copy, place, copy.length - place);
    return withChildren(letters & ~bit(symbol), copy);
  }

  /** A node with the first characters of this node's piece, above a node with the other ones. */
  PatternNode split(int at) {
    PatternNode rest = new PatternNode(text, at, to, begun, exact, letters, children);
    PatternNode head = new PatternNode(text, from, at, Tally.NONE, Tally.NONE, 0, EMPTY.children);
    return head.withChild(rest);
  }

  /** This node in its smallest form: null without patterns, joined with its only child. */
  PatternNode compacted() {
    if (begun != Tally.NONE || exact != Tally.NONE || children.length > 1) {
      return this;
    }
    if (children.length == 0) {
      return null;
    }
    PatternNode only = children[0];
    return new PatternNode(
        only.text, from, only.to, only.begun, only.exact, only.letters, only.children);
  }

  private PatternNode withChildren(long newLetters, PatternNode[] newChildren) {
    return new PatternNode(text, from, to, begun, exact, newLetters, newChildren);
  }

  private boolean has(int symbol) {
    return symbol == SLASH
        ? children.length > Long.bitCount(letters)
        : (letters & bit(symbol)) != 0;
  }

  private int place(int symbol) {
    return Long.bitCount(symbol == SLASH ? letters : letters & (bit(symbol) - 1));
  }

  private static long bit(int symbol) {
    return symbol == SLASH ? 0 : 1L << symbol;
  }

  private static int symbol(char c) {
    if (c >= 'a' && c <= 'z') {
      return c - 'a';
    }
    if (c >= 'A' && c <= 'Z') {
      return c - 'A' + 26;
    }
    if (c >= '0' && c <= '9') {
      return c - '0' + 52;
    }
    return switch (c) {
      case '_' -> 62;
      case '-' -> 63;
      case '/' -> SLASH;
      default -> FOREIGN;
    };
  }
}
