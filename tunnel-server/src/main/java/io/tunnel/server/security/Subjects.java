package io.tunnel.server.security;

/**
 * The text form of the subjects of permissions: {@code NAME} for a principal, {@code group:NAME}
 * for a group.
 */
public final class Subjects {

  private static final String GROUP = "group:";

  /** Characters of a refused text in a message. */
  private static final int SHOWN_CHARS_MAX = 80;

  private Subjects() {}

  /**
   * Checks a subject.
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

  /** Whether the subject is a group; no principal's name has a {@code :} before a {@code =}. */
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

  /**
   * Whether a character is printable: no control or format character, no half of a surrogate pair.
   */
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

  /** A refused text for a message: cut, and without control characters. */
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
