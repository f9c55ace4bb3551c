package io.tunnel.condition;

import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.StringValue;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What each node of a condition checks of itself and of the nodes below it. */
final class ConditionLimits {

  /** More than the words, parentheses and spaces of a node take, and the form of a condition. */
  private static final long NODE_SIZE_MAX = 32;

  /** More than a number takes, or the quotes and the prefix of a name. */
  private static final long OPERAND_SIZE_MAX = 40;

  /** More than an escaped character or byte takes: a supplementary one is two {@code char}s. */
  private static final long CHARACTER_SIZE_MAX = 8;

  private ConditionLimits() {}

  /** A copy of the parts of an {@code and} or {@code or}. */
  static List<Condition> requireParts(
      String word, List<Condition> parts, Class<? extends Condition> own) {
    List<Condition> copy = List.copyOf(parts);
    if (copy.size() < 2) {
      throw new IllegalArgumentException(
          "'" + word + "' joins two conditions or more, not " + copy.size());
    }
    for (Condition part : copy) {
      if (own.isInstance(part)) {
        throw new IllegalArgumentException(
            "'" + word + "' directly inside of '" + word + "': its parts belong to the outer one");
      }
    }
    return copy;
  }

  /** Refuses a node that, with those below it, is over a limit. */
  static void require(Condition condition) {
    require(nodes(condition), Condition.NODES_MAX, "nodes (comparisons, exists, and, or, not)");
    require(depth(condition), Condition.DEPTH_MAX, "nodes from the outermost to the innermost");
    if (sizeMax(condition) <= Math.min(Condition.TEXT_BYTES_MAX, Condition.BYTES_MAX)) {
      // Each node asks, so the exact sizes are computed near the limits alone.
      return;
    }
    int textBytes = condition.text().getBytes(StandardCharsets.UTF_8).length;
    require(textBytes, Condition.TEXT_BYTES_MAX, "bytes of text");
    require(condition.encode().length(), Condition.BYTES_MAX, "bytes, encoded");
  }

  private static void require(int size, int max, String what) {
    if (size > max) {
      throw new IllegalArgumentException(
          "a condition of " + size + " " + what + "; at most " + max + " are allowed");
    }
  }

  static void requirePrefix(Operator operator, Operand operand) {
    if (operator == Operator.STARTS_WITH && operand instanceof Literal literal) {
      ColumnType type = literal.value().getType();
      if (type != ColumnType.STRING && type != ColumnType.BINARY) {
        throw new IllegalArgumentException(
            "'starts with' wants a STRING such as \"abc\" or a BINARY such as x\"00ff\", not the "
                + type
                + " "
                + literal.value());
      }
    }
  }

  private static int nodes(Condition condition) {
    int nodes = 1;
    for (Condition part : parts(condition)) {
      nodes += nodes(part);
    }
    return nodes;
  }

  /** At least the bytes of the text, and of the encoding, of a condition. */
  private static long sizeMax(Condition condition) {
    long size = NODE_SIZE_MAX;
    if (condition instanceof Condition.Comparison comparison) {
      size += sizeMax(comparison.column()) + sizeMax(comparison.operand());
    } else if (condition instanceof Condition.Exists exists) {
      size += sizeMax(exists.column());
    }
    for (Condition part : parts(condition)) {
      size += sizeMax(part);
    }
    return size;
  }

  private static long sizeMax(Operand operand) {
    long length = 0;
    if (operand instanceof NamedColumn column) {
      length = column.name().length();
    } else if (operand instanceof Literal literal) {
      if (literal.value() instanceof StringValue string) {
        length = string.value().length();
      } else if (literal.value() instanceof BinaryValue binary) {
        length = binary.value().length();
      }
    }
    return OPERAND_SIZE_MAX + CHARACTER_SIZE_MAX * length;
  }

  private static int depth(Condition condition) {
    int depth = 0;
    for (Condition part : parts(condition)) {
      depth = Math.max(depth, depth(part));
    }
    return depth + 1;
  }

  private static List<Condition> parts(Condition condition) {
    if (condition instanceof Condition.All all) {
      return all.parts();
    }
    if (condition instanceof Condition.Any any) {
      return any.parts();
    }
    return condition instanceof Condition.Not not ? List.of(not.part()) : List.of();
  }
}
