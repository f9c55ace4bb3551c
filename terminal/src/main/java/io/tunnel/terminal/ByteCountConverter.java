package io.tunnel.terminal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 512MiB} and {@code 10GiB}; a number alone means bytes. */
public final class ByteCountConverter implements ITypeConverter<Long> {

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})(b|kib|mib|gib|tib|)");

  /** For picocli. */
  public ByteCountConverter() {}

  @Override
  public Long convert(String text) {
    Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw refusal(text);
    }
    int shift =
        switch (matcher.group(2)) {
          case "kib" -> 10;
          case "mib" -> 20;
          case "gib" -> 30;
          case "tib" -> 40;
          default -> 0;
        };
    long count = Long.parseLong(matcher.group(1));
    if (count > Long.MAX_VALUE >> shift) {
      throw refusal(text);
    }
    return count << shift;
  }

  private static TypeConversionException refusal(String text) {
    return new TypeConversionException(
        "'" + text + "' is not a number of bytes such as 1000, 512MiB or 10GiB");
  }
}
