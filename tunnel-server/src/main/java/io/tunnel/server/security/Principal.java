package io.tunnel.server.security;

/**
 * The name of an authenticated client. Names for keys have no {@code =} and subjects of
 * certificates have one, so that neither can stand for the other.
 *
 * @param name as {@link #ofKey} or {@link #ofCertificate} takes it
 */
public record Principal(String name) {

  /** Characters of a name for keys. */
  public static final int KEY_NAME_CHARS_MAX = 64;

  /** Characters of a certificate's subject. */
  public static final int CERTIFICATE_NAME_CHARS_MAX = 255;

  /** Refuses a name of neither kind. */
  public Principal {
    if (name != null && name.indexOf('=') >= 0) {
      requireCertificateName(name);
    } else {
      requireKeyName("a principal's name", name);
    }
  }

  /**
   * The principal of keys with that name.
   *
   * @throws IllegalArgumentException unless the name is 1 to {@value #KEY_NAME_CHARS_MAX} of A-Z
   *     a-z 0-9 _ . @ -
   */
  public static Principal ofKey(String name) {
    return new Principal(requireKeyName("a principal's name", name));
  }

  /**
   * The principal that a certificate names.
   *
   * @param subject such as {@code CN=billing,O=Example}
   * @throws IllegalArgumentException unless the subject is 1 to {@value
   *     #CERTIFICATE_NAME_CHARS_MAX} printable characters with a {@code =} and no {@code :} before
   *     the first one
   */
  public static Principal ofCertificate(String subject) {
    return new Principal(requireCertificateName(subject));
  }

  /** Whether the principal is a certificate's, and not a key's. */
  public boolean isOfCertificate() {
    return name.indexOf('=') >= 0;
  }

  /** The name. */
  @Override
  public String toString() {
    return name;
  }

  /** The rule for names of principals and of groups. */
  static String requireKeyName(String what, String name) {
    boolean isRight = name != null && !name.isEmpty() && name.length() <= KEY_NAME_CHARS_MAX;
    for (int i = 0; isRight && i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      isRight = isLetter || (c >= '0' && c <= '9') || "_.@-".indexOf(c) >= 0;
    }
    if (!isRight) {
      throw new IllegalArgumentException(
          what
              + " is 1 to "
              + KEY_NAME_CHARS_MAX
              + " of A-Z a-z 0-9 _ . @ -, not "
              + Subjects.shown(name));
    }
    return name;
  }

  private static String requireCertificateName(String subject) {
    boolean isRight =
        subject != null
            && subject.indexOf('=') > 0
            && subject.length() <= CERTIFICATE_NAME_CHARS_MAX
            && subject.lastIndexOf(':', subject.indexOf('=')) < 0
            && subject.codePoints().allMatch(Subjects::isPrintable);
    if (!isRight) {
      throw new IllegalArgumentException(
          "a certificate's subject is 1 to "
              + CERTIFICATE_NAME_CHARS_MAX
              + " printable characters such as CN=NAME, not "
              + Subjects.shown(subject));
    }
    return subject;
  }
}
