package io.tunnel.condition.judge;

import io.tunnel.condition.Condition;
import io.tunnel.condition.Literal;
import io.tunnel.condition.NamedColumn;
import io.tunnel.condition.Operand;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a condition means, in the simplest way: by the tree, over objects, with numbers of any size
 * and texts by code points. Shares nothing with {@link Judge}.
 *
 * @param values of columns that are not missing
 */
record ObjectJudge(Map<NamedColumn, ColumnValue> values, Optional<ChangeKind> kind) {

  boolean holds(Condition condition) {
    if (condition instanceof Condition.All all) {
      return all.parts().stream().allMatch(this::holds);
    }
    if (condition instanceof Condition.Any any) {
      return any.parts().stream().anyMatch(this::holds);
    }
    if (condition instanceof Condition.Not not) {
      return !holds(not.part());
    }
    if (condition instanceof Condition.Exists exists) {
      return values.containsKey(exists.column());
    }
    if (condition instanceof Condition.ChangeIs is) {
      return kind.equals(Optional.of(is.kind()));
    }
    Condition.Comparison comparison = (Condition.Comparison) condition;
    Optional<ColumnValue> left = value(comparison.column());
    Optional<ColumnValue> right = value(comparison.operand());
    OptionalInt compared =
        left.isPresent() && right.isPresent()
            ? compare(left.get(), right.get())
            : OptionalInt.empty();
    return switch (comparison.operator()) {
      case EQUAL -> compared.equals(OptionalInt.of(0));
      case NOT_EQUAL -> !compared.equals(OptionalInt.of(0));
      case LESS -> compared.isPresent() && compared.getAsInt() < 0;
      case AT_MOST -> compared.isPresent() && compared.getAsInt() <= 0;
      case GREATER -> compared.isPresent() && compared.getAsInt() > 0;
      case AT_LEAST -> compared.isPresent() && compared.getAsInt() >= 0;
      case STARTS_WITH ->
          left.isPresent() && right.isPresent() && startsWith(left.get(), right.get());
    };
  }

  private Optional<ColumnValue> value(Operand operand) {
    return operand instanceof Literal literal
        ? Optional.of(literal.value())
        : Optional.ofNullable(values.get((NamedColumn) operand));
  }

  private static OptionalInt compare(ColumnValue left, ColumnValue right) {
    if (isNumber(left) && isNumber(right)) {
      return compareNumbers(left, right);
    }
    if (left instanceof StringValue l && right instanceof StringValue r) {
      return OptionalInt.of(compareTexts(l.value(), r.value()));
    }
    if (left instanceof BinaryValue l && right instanceof BinaryValue r) {
      return OptionalInt.of(l.value().compareTo(r.value()));
    }
    return left instanceof BooleanValue l && right instanceof BooleanValue r
        ? OptionalInt.of(Boolean.compare(l.value(), r.value()))
        : OptionalInt.empty();
  }

  private static boolean isNumber(ColumnValue value) {
    return value instanceof IntegerValue || value instanceof DoubleValue;
  }

  private static OptionalInt compareNumbers(ColumnValue left, ColumnValue right) {
    double l = left instanceof DoubleValue number ? number.value() : 0;
    double r = right instanceof DoubleValue number ? number.value() : 0;
    if (Double.isNaN(l) || Double.isNaN(r)) {
      return OptionalInt.empty();
    }
    if (Double.isInfinite(l) || Double.isInfinite(r)) {
      return OptionalInt.of(Double.compare(l, r));
    }
    return OptionalInt.of(exact(left).compareTo(exact(right)));
  }

  private static BigDecimal exact(ColumnValue value) {
    return value instanceof IntegerValue integer
        ? BigDecimal.valueOf(integer.value())
        : new BigDecimal(value.asDouble());
  }

  private static int compareTexts(String left, String right) {
    List<Integer> l = left.codePoints().boxed().toList();
    List<Integer> r = right.codePoints().boxed().toList();
    for (int i = 0; i < Math.min(l.size(), r.size()); i++) {
      if (!l.get(i).equals(r.get(i))) {
        return Integer.compare(l.get(i), r.get(i));
      }
    }
    return Integer.compare(l.size(), r.size());
  }

  private static boolean startsWith(ColumnValue left, ColumnValue right) {
    if (left instanceof StringValue l && right instanceof StringValue r) {
      return l.value().startsWith(r.value());
    }
    return left instanceof BinaryValue l
        && right instanceof BinaryValue r
        && l.value().toString().startsWith(r.value().toString());
  }
}
