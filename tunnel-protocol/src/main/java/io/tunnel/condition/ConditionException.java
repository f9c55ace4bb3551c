package io.tunnel.condition;

import java.util.List;

/** A text is no condition; says at which character what stands, and what would be right. */
public final class ConditionException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** Characters of a line that are shown before and after the place. */
  private static final int SHOWN_BEFORE = 60;

  private static final int SHOWN_BEHIND = 40;

  private final String text;
  private final int offset;
  private final String trouble;

  /**
   * A refusal.
   *
   * @param text the complete text
   * @param offset where the trouble is, in chars from 0; the text's length for its end
   * @param trouble what is wrong and what would be right
   */
  ConditionException(String text, int offset, String trouble) {
    super("at character " + (text.codePointCount(0, offset) + 1) + ": " + trouble);
    this.text = text;
    this.offset = offset;
    this.trouble = trouble;
  }

  /** Where the trouble is, in chars from 0; the text's length for its end. */
  public int offset() {
    return offset;
  }

  /** What is wrong and what would be right, without the place. */
  public String trouble() {
    return trouble;
  }

  /** For a terminal: the line of the place, or as much of it as fits, and a caret under it. */
  public List<String> excerpt() {
    int from = Math.max(0, lineStart());
    int to = lineEnd();
    boolean isCutBefore = offset - from > SHOWN_BEFORE;
    boolean isCutBehind = to - offset > SHOWN_BEHIND;
    from = isCutBefore ? boundary(offset - SHOWN_BEFORE) : from;
    to = isCutBehind ? boundary(offset + SHOWN_BEHIND) : to;
    String before = (isCutBefore ? "…" : "") + visible(text.substring(from, offset));
    String behind = visible(text.substring(offset, to)) + (isCutBehind ? "…" : "");
    return List.of(before + behind, " ".repeat(before.codePointCount(0, before.length())) + "^");
  }

  private int lineStart() {
    int start = offset;
    while (start > 0 && !isLineEnd(text.charAt(start - 1))) {
      start--;
    }
    return start;
  }

  private int lineEnd() {
    int end = offset;
    while (end < text.length() && !isLineEnd(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }

  /** Not inside of a pair of surrogates. */
  private int boundary(int at) {
    return Character.isLowSurrogate(text.charAt(at))
            && Character.isHighSurrogate(text.charAt(at - 1))
        ? at + 1
        : at;
  }

  private static String visible(String part) {
    StringBuilder visible = new StringBuilder();
    part.codePoints()
        .forEach(
            c ->
                visible.appendCodePoint(
                    c == '\t' ? ' ' : ConditionText.isInvisible(c) || isSurrogate(c) ? '?' : c));
    return visible.toString();
  }

  private static boolean isSurrogate(int c) {
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
  }
}
