package io.tunnel.model;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules for names of tables, tunnels and columns; each check returns the name or throws {@link
 * IllegalArgumentException}.
 */
public final class Names {

  private static final Pattern RESOURCE = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,254}");

  /** The most names in a message. */
  private static final int LISTED_MAX = 20;

  /** Characters of a text in a message; a table's name fits. */
  private static final int SHORT_CHARS = 255;

  private Names() {}

  /**
   * A table or tunnel name: 1 to 255 of A-Z a-z 0-9 _ -, the first a letter or _. {@code what}
   * starts the error message.
   */
  public static String requireResourceName(String what, String name) {
    if (name == null || !RESOURCE.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what
              + " name '"
              + (name == null ? "null" : shortened(name))
              + "' is not valid: 1 to 255 of A-Z a-z 0-9 _ -, the first a letter or _");
    }
    return name;
  }

  /**
   * Lists names for a sentence: {@code a, b, c}. Of more than {@value #LISTED_MAX} names, lists the
   * first and the number of the rest; of no names, {@code none}.
   */
  public static String listed(Collection<String> names) {
    if (names.isEmpty()) {
      return "none";
    }
    String first = names.stream().limit(LISTED_MAX).collect(Collectors.joining(", "));
    return names.size() > LISTED_MAX
        ? first + " and " + (names.size() - LISTED_MAX) + " more"
        : first;
  }

  /** A text for a message: the first {@value #SHORT_CHARS} characters of a longer one. */
  public static String shortened(String text) {
    return text.length() <= SHORT_CHARS
        ? text
        : text.substring(0, SHORT_CHARS) + "… (" + text.length() + " characters)";
  }

  /** A column name: 1 to {@link Limits#COLUMN_NAME_BYTES_MAX} bytes of UTF-8. */
  public static String requireColumnName(String name) {
    if (name == null || name.isEmpty()) {
      throw new IllegalArgumentException("a column name must not be empty");
    }
    if (name.length() > Limits.COLUMN_NAME_BYTES_MAX / 4
        && name.getBytes(StandardCharsets.UTF_8).length > Limits.COLUMN_NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "column name '"
              + shortened(name)
              + "' is over "
              + Limits.COLUMN_NAME_BYTES_MAX
              + " bytes");
    }
    return name;
  }
}
