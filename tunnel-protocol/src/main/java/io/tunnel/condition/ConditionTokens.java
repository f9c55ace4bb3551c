package io.tunnel.condition;

import io.tunnel.model.value.Bytes;
import java.util.Locale;

/** Cuts the text of a condition into tokens, one after the other. */
final class ConditionTokens {

  /** What a token is. */
  enum Kind {
    WORD,
    QUOTED_NAME,
    NUMBER,
    STRING,
    BINARY,
    SYMBOL,
    END
  }

  private static final int CODE_POINT_DIGITS_MAX = 6;
  private static final int SHOWN_CHARS = 30;

  private final String text;
  private Kind kind = Kind.END;
  private int start;
  private int end;

  /** Of a quoted token: what it says. */
  private String content = "";

  /** Stands before the first token. */
  ConditionTokens(String text) {
    this.text = text;
  }

  Kind kind() {
    return kind;
  }

  /** Where the token begins. */
  int start() {
    return start;
  }

  /** A STRING's or a name's text; hexadecimal digits of a BINARY; other tokens as they stand. */
  String content() {
    return content;
  }

  /** Whether this is a word of the language, in any case. */
  boolean isWord(String word) {
    return kind == Kind.WORD && content.equalsIgnoreCase(word);
  }

  boolean isSymbol(String symbol) {
    return kind == Kind.SYMBOL && content.equals(symbol);
  }

  /** For messages: the token as it stands in the text. */
  String shown() {
    if (kind == Kind.END) {
      return "the end of the text";
    }
    String token = text.substring(start, end);
    boolean isLong = token.codePointCount(0, token.length()) > SHOWN_CHARS;
    String beginning =
        isLong ? token.substring(0, token.offsetByCodePoints(0, SHOWN_CHARS)) + "…" : token;
    StringBuilder shown = new StringBuilder("'");
    beginning
        .codePoints()
        .forEach(c -> shown.appendCodePoint(ConditionText.isInvisible(c) ? '?' : c));
    return shown.append('\'').toString();
  }

  ConditionException refusal(String trouble) {
    return new ConditionException(text, start, trouble);
  }

  private ConditionException refusal(int at, String trouble) {
    return new ConditionException(text, at, trouble);
  }

  /** Moves to the next token; after the last one, to the end. */
  void next() {
    start = end;
    while (start < text.length() && " \t\r\n".indexOf(text.charAt(start)) >= 0) {
      start++;
    }
    end = start;
    if (start == text.length()) {
      kind = Kind.END;
      content = "";
      return;
    }
    char first = text.charAt(start);
    char second = start + 1 < text.length() ? text.charAt(start + 1) : 0;
    if ((first == 'x' || first == 'X') && (second == '"' || second == '\'')) {
      readBinary(second);
    } else if (ConditionText.isWordStart(first)) {
      readWord(Kind.WORD);
    } else if (ConditionText.isDigit(first) || (first == '-' && ConditionText.isDigit(second))) {
      readNumber();
    } else if (first == '-' && text.regionMatches(true, start + 1, "infinity", 0, 8)) {
      end++;
      readWord(Kind.NUMBER);
    } else if (first == '"' || first == '\'') {
      readQuoted(Kind.STRING, first);
    } else if (first == '`') {
      readQuoted(Kind.QUOTED_NAME, first);
    } else {
      readSymbol(first, second);
    }
  }

  private void readWord(Kind wordKind) {
    kind = wordKind;
    while (end < text.length() && ConditionText.isWordPart(text.charAt(end))) {
      end++;
    }
    content = text.substring(start, end);
  }

  /** Takes all letters and digits after a digit: a message shows the complete bad number. */
  private void readNumber() {
    kind = Kind.NUMBER;
    end++;
    while (end < text.length() && isNumberPart(text.charAt(end), text.charAt(end - 1))) {
      end++;
    }
    content = text.substring(start, end);
  }

  private static boolean isNumberPart(char c, char before) {
    boolean isSign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
    return isSign || c == '.' || ConditionText.isWordPart(c);
  }

  private void readSymbol(char first, char second) {
    kind = Kind.SYMBOL;
    boolean isDouble =
        (second == '=' && "=!<>".indexOf(first) >= 0)
            || (first == '<' && second == '>')
            || (first == second && (first == '&' || first == '|'));
    end = start + (isDouble ? 2 : Character.charCount(text.codePointAt(start)));
    content = text.substring(start, end);
  }

  private void readBinary(char quote) {
    kind = Kind.BINARY;
    int from = start + 2;
    int to = text.indexOf(quote, from);
    if (to < 0) {
      end = text.length();
      throw refusal("a BINARY is not closed; write x" + quote + "00ff" + quote);
    }
    end = to + 1;
    content = text.substring(from, to);
    try {
      content = Bytes.fromHex(content).toString();
    } catch (IllegalArgumentException e) {
      throw refusal(shown() + " is no BINARY: two hexadecimal digits a byte, such as x\"00ff\"");
    }
  }

  private void readQuoted(Kind quotedKind, char quote) {
    kind = quotedKind;
    StringBuilder said = new StringBuilder();
    end++;
    while (true) {
      if (end == text.length()) {
        throw refusal(
            (quote == '`' ? "a name" : "a STRING")
                + " is not closed; it begins here, and ends with "
                + quote
                + " (inside of it, write \\"
                + quote
                + ")");
      }
      char c = text.charAt(end++);
      if (c == quote) {
        content = said.toString();
        return;
      }
      if (c == '\\') {
        readEscape(said);
      } else {
        said.append(c);
      }
    }
  }

  private void readEscape(StringBuilder said) {
    int at = end - 1;
    char escaped = end < text.length() ? text.charAt(end) : 0;
    end++;
    switch (escaped) {
      case 'n' -> said.append('\n');
      case 'r' -> said.append('\r');
      case 't' -> said.append('\t');
      case '\\', '"', '\'', '`' -> said.append(escaped);
      case 'u' -> said.appendCodePoint(readCodePoint(at));
      default ->
          throw refusal(
              at,
              "an escape that there is not; write \\\\ for a backslash, or one of \\n \\r \\t \\\""
                  + " \\' \\` \\u{1f600}");
    }
  }

  private int readCodePoint(int at) {
    int close = text.indexOf('}', end);
    if (end < text.length()
        && text.charAt(end) == '{'
        && close > end + 1
        && close <= end + 1 + CODE_POINT_DIGITS_MAX
        && text.substring(end + 1, close).toLowerCase(Locale.ROOT).matches("[0-9a-f]+")) {
      int codePoint = Integer.parseInt(text.substring(end + 1, close), 16);
      if (Character.isValidCodePoint(codePoint)
          && (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE)) {
        end = close + 1;
        return codePoint;
      }
    }
    throw refusal(at, "write a character by its number as \\u{1f600}: 0 to 10ffff, no surrogate");
  }
}
