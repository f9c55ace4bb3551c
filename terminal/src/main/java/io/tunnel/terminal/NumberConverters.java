package io.tunnel.terminal;

import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers as people type them. Java's own parsers take digits of all scripts, and {@code 5d}. */
final class NumberConverters {

  private static final String WHOLE = "[+-]?[0-9]+";
  private static final String DECIMAL = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";

  private NumberConverters() {}

  /** Registers the converters for {@code root} and all its subcommands. */
  static void register(CommandLine root) {
    ITypeConverter<Long> wholes = text -> parse(text, WHOLE, Long::valueOf, "a whole number");
    ITypeConverter<Integer> ints = text -> parse(text, WHOLE, Integer::valueOf, "a whole number");
    ITypeConverter<Double> decimals = text -> parse(text, DECIMAL, Double::valueOf, "a number");
    root.registerConverter(long.class, wholes);
    root.registerConverter(Long.class, wholes);
    root.registerConverter(int.class, ints);
    root.registerConverter(Integer.class, ints);
    root.registerConverter(double.class, decimals);
    root.registerConverter(Double.class, decimals);
  }

  private static <T> T parse(String text, String form, Function<String, T> parser, String name) {
    try {
      if (text.matches(form)) {
        return parser.apply(text);
      }
    } catch (NumberFormatException e) {
      // Too large for its type.
    }
    throw new TypeConversionException("'" + text + "' is not " + name);
  }
}
