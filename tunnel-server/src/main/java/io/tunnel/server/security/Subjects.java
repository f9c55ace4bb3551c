package io.tunnel.server.security;

/** How those to whom permissions are given are written: {@code NAME}, {@code group:NAME}. */
public final class Subjects {

  private static final String GROUP = "group:";

  /** Of a longer text, a message shows the beginning. */
  private static final int SHOWN_CHARS_MAX = 80;

  private Subjects() {}

  /**
   * The subject, when it is one.
   *
   * @throws IllegalArgumentException when it is neither a principal nor a group
   */
  static String require(String subject) {
    if (isGroup(subject)) {
      requireGroup(groupOf(subject));
    } else {
      var unused = new Principal(subject);
    }
    return subject;
  }

  /** Names of principals have no {@code :} in front of a {@code =}, so none is a group's. */
  static boolean isGroup(String subject) {
    return subject != null && subject.startsWith(GROUP);
  }

  static String groupOf(String subject) {
    return subject.substring(GROUP.length());
  }

  static String ofGroup(String name) {
    return GROUP + name;
  }

  static String requireGroup(String name) {
    return Principal.requireKeyName("a group's name", name);
  }

  /** Neither a control nor what changes how its neighbours look, nor half a character. */
  public static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /** A text that was refused, for a message: short, and with nothing that a terminal obeys. */
  static String shown(String text) {
    if (text == null) {
      return "null";
    }
    StringBuilder shown = new StringBuilder("'");
    text.codePoints()
        .limit(SHOWN_CHARS_MAX)
        .forEach(c -> shown.appendCodePoint(isPrintable(c) ? c : '?'));
    boolean isWhole = text.codePointCount(0, text.length()) <= SHOWN_CHARS_MAX;
    return shown.append(isWhole ? "'" : "…'").toString();
  }
}
