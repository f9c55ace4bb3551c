package io.tunnel.terminal.file;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Separators of CSV as they are typed: a character, or {@code tab}. */
public final class Separator implements ITypeConverter<Character> {

  /** For picocli. */
  public Separator() {}

  @Override
  public Character convert(String text) {
    if (text.equalsIgnoreCase("tab") || text.equals("\\t") || text.equals("\t")) {
      return '\t';
    }
    if (text.length() != 1 || "\"\r\n".contains(text) || Character.isSurrogate(text.charAt(0))) {
      throw new TypeConversionException(
          "'" + text + "' is not one character such as ; or |, nor the word tab");
    }
    return text.charAt(0);
  }

  /** What {@link #convert} reads. */
  static String name(char separator) {
    return separator == '\t' ? "tab" : String.valueOf(separator);
  }
}
