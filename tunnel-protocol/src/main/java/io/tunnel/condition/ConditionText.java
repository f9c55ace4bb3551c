package io.tunnel.condition;

import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Conditions as canonical text, and the words of the language. */
final class ConditionText {

  /** Words that are no names unless they stand in backticks; the last ones say nothing yet. */
  static final Set<String> WORDS =
      Set.of(
          "and",
          "or",
          "not",
          "exists",
          "starts",
          "with",
          "is",
          "true",
          "false",
          "infinity",
          "nan",
          "before",
          "change",
          "null",
          "in",
          "between",
          "like");

  private ConditionText() {}

  static String of(Condition condition) {
    StringBuilder text = new StringBuilder();
    write(text, condition);
    return text.toString();
  }

  private static void write(StringBuilder text, Condition condition) {
    if (condition instanceof Condition.All all) {
      join(text, all.parts(), " and ");
    } else if (condition instanceof Condition.Any any) {
      join(text, any.parts(), " or ");
    } else if (condition instanceof Condition.Not not) {
      text.append("not ");
      boolean isJoined = not.part() instanceof Condition.All || not.part() instanceof Condition.Any;
      writePart(text, not.part(), isJoined);
    } else if (condition instanceof Condition.Comparison comparison) {
      text.append(column(comparison.column()))
          .append(' ')
          .append(comparison.operator().text())
          .append(' ')
          .append(operand(comparison.operand()));
    } else if (condition instanceof Condition.Exists exists) {
      text.append("exists ").append(column(exists.column()));
    } else if (condition instanceof Condition.ChangeIs is) {
      text.append("change is ").append(is.kind().name().toLowerCase(Locale.ROOT));
    }
  }

  private static void join(StringBuilder text, List<Condition> parts, String between) {
    for (int i = 0; i < parts.size(); i++) {
      text.append(i == 0 ? "" : between);
      // Only 'or' inside of 'and' needs parentheses; neither is directly inside of itself.
      writePart(text, parts.get(i), parts.get(i) instanceof Condition.Any);
    }
  }

  private static void writePart(StringBuilder text, Condition part, boolean inParentheses) {
    text.append(inParentheses ? "(" : "");
    write(text, part);
    text.append(inParentheses ? ")" : "");
  }

  static String column(NamedColumn column) {
    return column.of().prefix()
        + (isPlain(column.name()) ? column.name() : quoted(column.name(), '`'));
  }

  static String operand(Operand operand) {
    if (operand instanceof Literal literal) {
      return value(literal.value());
    }
    return column((NamedColumn) operand);
  }

  /** A value as a condition writes it. */
  static String value(ColumnValue value) {
    if (value instanceof IntegerValue || value instanceof BooleanValue) {
      return value.toString();
    }
    if (value instanceof DoubleValue number) {
      return Double.toString(number.value()).replace("Infinity", "infinity");
    }
    if (value instanceof StringValue string) {
      return quoted(string.value(), '"');
    }
    return "x\"" + ((BinaryValue) value).value() + '"';
  }

  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!(i == 0 ? isWordStart(name.charAt(i)) : isWordPart(name.charAt(i)))) {
        return false;
      }
    }
    return !WORDS.contains(name.toLowerCase(Locale.ROOT));
  }

  static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  static boolean isWordPart(char c) {
    return isWordStart(c) || isDigit(c);
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static String quoted(String text, char quote) {
    StringBuilder quoted = new StringBuilder().append(quote);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                  if (isInvisible(c)) {
                    quoted.append("\\u{").append(Integer.toHexString(c)).append('}');
                  } else {
                    quoted.append(c == quote || c == '\\' ? "\\" : "").appendCodePoint(c);
                  }
                }
              }
            });
    return quoted.append(quote).toString();
  }

  /**
   * Whether a character would hide in a line, or reorder or end the line: controls, line
   * separators, marks of direction. A list of our own, so that every JDK writes the same text.
   */
  static boolean isInvisible(int c) {
    return c < 0x20
        || (c >= 0x7f && c <= 0x9f)
        || c == 0xad
        || c == 0x61c
        || (c >= 0x200b && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2060 && c <= 0x206f)
        || c == 0xfeff;
  }
}
