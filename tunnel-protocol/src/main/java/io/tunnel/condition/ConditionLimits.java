package io.tunnel.condition;

import io.tunnel.model.value.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What each node of a condition checks of itself and of the nodes below it. */
final class ConditionLimits {

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
