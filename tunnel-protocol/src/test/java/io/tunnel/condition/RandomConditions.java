package io.tunnel.condition;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Conditions and values with few names, and with values near the borders between equal, less and
 * not comparable. Equal seeds give equal conditions.
 */
public final class RandomConditions {

  /** Names of columns of rows, some of them no words, some of them words of the language. */
  public static final List<String> NAMES =
      List.of("a", "state", "Before", "two words", "naïve", "with`tick\\", "x", "中\n", "and");

  private static final long[] LONGS = {
    0, 1, -1, 7, 1L << 53, (1L << 53) + 1, -(1L << 53) - 1, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final double[] DOUBLES = {
    0,
    -0.0,
    1,
    0.5,
    -1,
    7,
    0x1p53,
    0x1p53 + 2,
    0x1p63,
    -0x1p63,
    -0x1.0000000000001p63,
    1e300,
    Double.MIN_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };
  private static final String[] TEXTS = {
    "", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "ab", "é", "\uffff", "😀", "\"\\'`\n\u202e"
  };
  private static final String[] HEX = {"", "00", "0000", "00ff", "ff", "ff00", "61", "6100", "80"};

  private final Random random;
  private final List<String> keys;
  private final boolean isOfChanges;

  /**
   * A source of conditions.
   *
   * @param keys names of key columns, which are named without a prefix only
   * @param isOfChanges whether changes and rows before them are named, too
   */
  public RandomConditions(long seed, List<String> keys, boolean isOfChanges) {
    this.random = new Random(seed);
    this.keys = List.copyOf(keys);
    this.isOfChanges = isOfChanges;
  }

  /** Anything from 0 to {@code bound - 1}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  private <T> T pick(T[] values) {
    return values[below(values.length)];
  }

  /** Some kind. */
  public ChangeKind kind() {
    return pick(ChangeKind.values());
  }

  /** A condition within the limits. */
  public Condition condition() {
    while (true) {
      try {
        return condition(1 + below(5));
      } catch (IllegalArgumentException tooLarge) {
        // The next one is another one.
      }
    }
  }

  private Condition condition(int depth) {
    if (depth == 1) {
      return leaf();
    }
    return switch (below(4)) {
      case 0 -> new Condition.Not(condition(depth - 1));
      case 1 -> Condition.all(parts(depth - 1));
      case 2 -> Condition.any(parts(depth - 1));
      default -> leaf();
    };
  }

  private List<Condition> parts(int depth) {
    List<Condition> parts = new ArrayList<>();
    for (int count = 2 + below(3); count > 0; count--) {
      parts.add(condition(depth));
    }
    return parts;
  }

  private Condition leaf() {
    int kind = below(isOfChanges ? 8 : 7);
    if (kind == 7) {
      return Condition.changeIs(kind());
    }
    NamedColumn column = column();
    if (kind == 6) {
      return column.exists();
    }
    Operator operator = pick(Operator.values());
    return column.compare(operator, below(3) == 0 ? column() : literal(operator));
  }

  private NamedColumn column() {
    if (!keys.isEmpty() && below(3) == 0) {
      return Condition.column(keys.get(below(keys.size())));
    }
    ColumnOf of = isOfChanges ? pick(ColumnOf.values()) : ColumnOf.ROW;
    return new NamedColumn(of, NAMES.get(below(NAMES.size())));
  }

  private Literal literal(Operator operator) {
    while (true) {
      ColumnValue value = value();
      boolean isPrefix =
          value.getType() == ColumnType.STRING || value.getType() == ColumnType.BINARY;
      boolean isNan = value.getType() == ColumnType.DOUBLE && Double.isNaN(value.asDouble());
      if (!isNan && (isPrefix || operator != Operator.STARTS_WITH)) {
        return new Literal(value);
      }
    }
  }

  /** A value of any type. */
  public ColumnValue value() {
    return value(pick(ColumnType.values()));
  }

  /** A value of a type. */
  public ColumnValue value(ColumnType type) {
    return switch (type) {
      case INTEGER -> ColumnValue.fromLong(LONGS[below(LONGS.length)]);
      case DOUBLE -> ColumnValue.fromDouble(DOUBLES[below(DOUBLES.length)]);
      case BOOLEAN -> ColumnValue.fromBoolean(below(2) == 0);
      case STRING -> ColumnValue.fromString(TEXTS[below(TEXTS.length)]);
      case BINARY -> new BinaryValue(Bytes.fromHex(HEX[below(HEX.length)]));
    };
  }
}
