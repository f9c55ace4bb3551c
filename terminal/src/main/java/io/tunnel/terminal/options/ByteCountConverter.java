package io.tunnel.terminal.options;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads sizes such as {@code 256KiB}, {@code 1.5GiB} and {@code 10MB}; a number alone means bytes.
 * KiB, MiB, GiB and TiB are powers of 1,024, KB, MB, GB and TB of 1,000.
 */
public final class ByteCountConverter implements ITypeConverter<Long> {

  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?) ?(b|[kmgt]i?b|)");

  private static final String PREFIXES = "kmgt";

  /** For picocli. */
  public ByteCountConverter() {}

  @Override
  public Long convert(String text) {
    Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw refusal(text);
    }
    String unit = matcher.group(2);
    int step = unit.contains("i") ? 1_024 : 1_000;
    int power = unit.isEmpty() ? 0 : PREFIXES.indexOf(unit.charAt(0)) + 1;
    try {
      return new BigDecimal(matcher.group(1))
          .multiply(BigDecimal.valueOf(step).pow(power))
          .longValueExact();
    } catch (ArithmeticException partOfByteOrTooMany) {
      throw refusal(text);
    }
  }

  private static TypeConversionException refusal(String text) {
    return new TypeConversionException(
        "'" + text + "' is not a number of bytes such as 1000, 256KiB, 10MB or 1.5GiB");
  }
}
