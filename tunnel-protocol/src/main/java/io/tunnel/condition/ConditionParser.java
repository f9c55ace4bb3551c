package io.tunnel.condition;

import io.tunnel.condition.ConditionTokens.Kind;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Parses the text of a condition; each rule of the grammar is a method. The methods call each other
 * at most once for each {@code not} and each parenthesis, which the parser counts, so that no text
 * makes them recurse deeper than a condition may be.
 */
final class ConditionParser {

  private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]*)");
  private static final Pattern DOUBLE =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern NOT_ZERO = Pattern.compile("-?[0.]*[1-9].*");

  private static final String A_COMPARISON = "=, !=, <, <=, >, >= or starts with";
  private static final String A_VALUE =
      "a value such as 7, 1.5, \"text\", x\"00ff\" or true, or a column";

  private final String text;
  private final ConditionTokens token;
  private final Consumer<NamedColumn> column;
  private final Consumer<Condition> part;
  private int depth;

  /**
   * A parser.
   *
   * @param column throws an {@link IllegalArgumentException} for a column that cannot be named
   * @param part likewise for a comparison, or a {@code change is}
   */
  ConditionParser(String text, Consumer<NamedColumn> column, Consumer<Condition> part) {
    this.text = text;
    this.token = new ConditionTokens(text);
    this.column = column;
    this.part = part;
  }

  Condition parse() {
    requireText();
    token.next();
    if (token.kind() == Kind.END) {
      throw token.refusal("a condition is empty; write one such as version = 7");
    }
    int start = token.start();
    Condition condition = parseAny(start);
    if (token.isSymbol(")")) {
      throw token.refusal("')' closes what no '(' has opened");
    }
    if (token.kind() != Kind.END) {
      throw token.refusal(
          token.shown()
              + " stands where 'and', 'or' or the end should be"
              + hint(token.content(), "&&", "and", "||", "or", "&", "and", "|", "or")
              + letterHint());
    }
    return condition;
  }

  private void requireText() {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isHighSurrogate(text.charAt(i))
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(text.charAt(i))) {
        throw new ConditionException(text, i, "half a character, which UTF-8 cannot encode");
      }
    }
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Condition.TEXT_BYTES_MAX) {
      throw new ConditionException(
          text,
          0,
          "a condition of "
              + bytes
              + " bytes; at most "
              + Condition.TEXT_BYTES_MAX
              + " are allowed");
    }
  }

  /** What is made of the text from {@code start} on, or a refusal there. */
  private <T> T at(int start, Supplier<T> made) {
    try {
      return made.get();
    } catch (ConditionException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new ConditionException(text, start, String.valueOf(e.getMessage()));
    }
  }

  private Condition parseAny(int start) {
    List<Condition> parts = new ArrayList<>();
    parts.add(parseAll(token.start()));
    while (token.isWord("or")) {
      token.next();
      parts.add(parseAll(token.start()));
    }
    return at(start, () -> Condition.any(parts));
  }

  private Condition parseAll(int start) {
    List<Condition> parts = new ArrayList<>();
    parts.add(parsePart());
    while (token.isWord("and")) {
      token.next();
      parts.add(parsePart());
    }
    return at(start, () -> Condition.all(parts));
  }

  private Condition parsePart() {
    int start = token.start();
    if (token.isWord("not") || token.isSymbol("(")) {
      boolean isNot = token.isWord("not");
      if (++depth > Condition.DEPTH_MAX) {
        throw token.refusal(
            "'not' and '(' stand inside of each other more than " + Condition.DEPTH_MAX + " deep");
      }
      token.next();
      Condition inner = isNot ? parsePart() : parseAny(token.start());
      if (!isNot) {
        expectClosing();
      }
      depth--;
      return isNot ? at(start, () -> new Condition.Not(inner)) : inner;
    }
    if (token.isWord("exists")) {
      token.next();
      return new Condition.Exists(parseColumn("a column"));
    }
    return parseComparison(start);
  }

  private void expectClosing() {
    if (!token.isSymbol(")")) {
      throw token.refusal(token.shown() + " stands where 'and', 'or' or ')' should be");
    }
    token.next();
  }

  private Condition parseComparison(int start) {
    if (token.isWord("change")) {
      token.next();
      return token.isWord("is")
          ? parseChangeIs(start)
          : compare(start, behindPrefix(start, "change"));
    }
    return compare(start, parseColumn("a column, 'exists', 'not' or '('"));
  }

  private Condition compare(int start, NamedColumn left) {
    Operator operator = parseOperator();
    int operandStart = token.start();
    Operand operand = parseOperand();
    Condition comparison =
        at(operandStart, () -> new Condition.Comparison(left, operator, operand));
    return checked(start, comparison);
  }

  private Condition parseChangeIs(int start) {
    token.next();
    for (ChangeKind kind : ChangeKind.values()) {
      if (token.isWord(kind.name())) {
        token.next();
        return checked(start, new Condition.ChangeIs(kind));
      }
    }
    throw token.refusal(token.shown() + " stands where put, update or delete should be");
  }

  private Condition checked(int start, Condition made) {
    return at(
        start,
        () -> {
          part.accept(made);
          return made;
        });
  }

  private Operator parseOperator() {
    for (Operator operator : Operator.values()) {
      if (token.isSymbol(operator.text())) {
        token.next();
        return operator;
      }
    }
    if (token.isWord("starts")) {
      token.next();
      if (!token.isWord("with")) {
        throw token.refusal(token.shown() + " stands where 'with' of 'starts with' should be");
      }
      token.next();
      return Operator.STARTS_WITH;
    }
    throw token.refusal(
        token.shown()
            + " stands where "
            + A_COMPARISON
            + " should be"
            + hint(
                token.content().toLowerCase(Locale.ROOT),
                "==",
                "=",
                "<>",
                "!=",
                "like",
                "name starts with \"abc\"",
                "in",
                "a = 1 or a = 2",
                "between",
                "a >= 1 and a <= 9",
                "is",
                "exists a, or not exists a",
                ".",
                "a name with a point in backticks: `a.b`",
                "-",
                "a name with a hyphen in backticks: `a-b`")
            + letterHint());
  }

  private Operand parseOperand() {
    Optional<ColumnValue> value =
        switch (token.kind()) {
          case NUMBER -> Optional.of(number(token.content()));
          case STRING -> Optional.of(ColumnValue.fromString(token.content()));
          case BINARY -> Optional.of(new BinaryValue(Bytes.fromHex(token.content())));
          case WORD -> wordValue();
          case QUOTED_NAME, SYMBOL, END -> Optional.empty();
        };
    if (value.isEmpty()) {
      return parseColumn(A_VALUE);
    }
    token.next();
    return new Literal(value.get());
  }

  /** What a word of the language says as a value; empty for other words. */
  private Optional<ColumnValue> wordValue() {
    return switch (token.content().toLowerCase(Locale.ROOT)) {
      case "true" -> Optional.of(ColumnValue.fromBoolean(true));
      case "false" -> Optional.of(ColumnValue.fromBoolean(false));
      case "infinity" -> Optional.of(ColumnValue.fromDouble(Double.POSITIVE_INFINITY));
      case "nan" ->
          throw token.refusal("nothing equals NaN; a column x is NaN where: exists x and x != x");
      case "null" -> throw token.refusal("no column is null; write 'exists x' or 'not exists x'");
      default -> Optional.empty();
    };
  }

  private ColumnValue number(String digits) {
    if (digits.equalsIgnoreCase("-infinity")) {
      return ColumnValue.fromDouble(Double.NEGATIVE_INFINITY);
    }
    if (INTEGER.matcher(digits).matches()) {
      try {
        return ColumnValue.fromLong(Long.parseLong(digits));
      } catch (NumberFormatException e) {
        throw token.refusal(
            token.shown() + " does not fit into 64 bits; as a DOUBLE write it with a point: .0");
      }
    }
    if (!DOUBLE.matcher(digits).matches()) {
      throw token.refusal(
          token.shown()
              + " is no number: write digits without leading zeros, such as 7, -1.5 or 2.5e-3;"
              + " a STRING stands in quotes");
    }
    double number = Double.parseDouble(digits);
    if (Double.isInfinite(number) || (number == 0 && isNotZero(digits))) {
      throw token.refusal(
          token.shown() + (number == 0 ? " is too near to 0" : " is too large") + " for a DOUBLE");
    }
    return ColumnValue.fromDouble(number);
  }

  private static boolean isNotZero(String digits) {
    return NOT_ZERO.matcher(digits.split("[eE]", 2)[0]).matches();
  }

  private NamedColumn parseColumn(String expected) {
    int start = token.start();
    if (token.isWord("before") || token.isWord("change")) {
      String prefix = token.content().toLowerCase(Locale.ROOT);
      token.next();
      return behindPrefix(start, prefix);
    }
    return named(start, ColumnOf.ROW, expected);
  }

  /** The column after {@code before} or {@code change}, which was read. */
  private NamedColumn behindPrefix(int start, String prefix) {
    if (!token.isSymbol(".")) {
      throw token.refusal(
          token.shown()
              + " stands after '"
              + prefix
              + "', where a point and a column should be; a column that is called so is written"
              + " in backticks: `"
              + prefix
              + "`");
    }
    token.next();
    return named(
        start, prefix.equals("before") ? ColumnOf.BEFORE : ColumnOf.CHANGE, "a column's name");
  }

  private NamedColumn named(int start, ColumnOf of, String expected) {
    boolean isName =
        token.kind() == Kind.QUOTED_NAME
            || (token.kind() == Kind.WORD
                && !ConditionText.WORDS.contains(token.content().toLowerCase(Locale.ROOT)));
    if (!isName) {
      throw token.refusal(token.shown() + " stands where " + expected + " should be" + nameHint());
    }
    NamedColumn found = at(token.start(), () -> new NamedColumn(of, token.content()));
    at(
        start,
        () -> {
          column.accept(found);
          return found;
        });
    token.next();
    return found;
  }

  private String nameHint() {
    return switch (token.kind()) {
      case WORD -> "; a column that is called so is written in backticks";
      case NUMBER, STRING, BINARY -> "; a comparison begins with its column: a = 7, not 7 = a";
      case SYMBOL -> token.isSymbol("!") ? "; write 'not'" : letterHint();
      case QUOTED_NAME, END -> "";
    };
  }

  /** For a letter that is no part of a word here, at the begin of a name or within one. */
  private String letterHint() {
    return token.kind() == Kind.SYMBOL && Character.isLetter(token.content().codePointAt(0))
        ? "; a name with other letters than A to Z is written in backticks"
        : "";
  }

  /** {@code ; write RIGHT} for what is often written for it; pairs of wrong and right. */
  private static String hint(String found, String... pairs) {
    int at = Arrays.asList(pairs).indexOf(found);
    return at >= 0 && at % 2 == 0 ? "; write " + pairs[at + 1] : "";
  }
}
