package io.tunnel.it.sim.truth;

import io.tunnel.condition.Condition;
import io.tunnel.condition.Literal;
import io.tunnel.condition.NamedColumn;
import io.tunnel.condition.Operand;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.IntegerValue;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The answer of a selection over the rows of a moment. Judges rows as decoded objects, in a way of
 * its own: all columns of a world are INTEGERs.
 */
final class Selected {

  /** A row of an answer: its columns, and its commit time when asked for. */
  record Answered(List<Column> columns, Optional<Long> commitMicros) {}

  private Selected() {}

  /** The answer, of rows that are among those of {@code fold}. */
  static NavigableMap<Bytes, Answered> of(
      NavigableMap<Bytes, List<Column>> rows, RowFold fold, RowSelection selection) {
    NavigableMap<Bytes, Answered> answer = new TreeMap<>();
    rows.forEach(
        (key, columns) -> {
          if (selection.condition().isEmpty() || holds(selection.condition().get(), key, columns)) {
            List<Column> cut = new ArrayList<>(columns);
            selection
                .columns()
                .ifPresent(names -> cut.removeIf(column -> !names.contains(column.getName())));
            answer.put(
                key,
                new Answered(
                    cut,
                    selection.hasCommitTimes()
                        ? Optional.of(fold.commitMicros(key))
                        : Optional.empty()));
          }
        });
    return answer;
  }

  private static boolean holds(Condition condition, Bytes key, List<Column> columns) {
    if (condition instanceof Condition.All all) {
      return all.parts().stream().allMatch(part -> holds(part, key, columns));
    }
    if (condition instanceof Condition.Any any) {
      return any.parts().stream().anyMatch(part -> holds(part, key, columns));
    }
    if (condition instanceof Condition.Not not) {
      return !holds(not.part(), key, columns);
    }
    if (condition instanceof Condition.Exists exists) {
      return value(exists.column(), key, columns).isPresent();
    }
    if (condition instanceof Condition.Comparison comparison) {
      return compares(
          comparison,
          value(comparison.column(), key, columns),
          value(comparison.operand(), key, columns));
    }
    throw new IllegalStateException("a world asks nothing like " + condition);
  }

  private static boolean compares(
      Condition.Comparison comparison, OptionalLong left, OptionalLong right) {
    boolean areThere = left.isPresent() && right.isPresent();
    int order = areThere ? Long.compare(left.getAsLong(), right.getAsLong()) : 0;
    return switch (comparison.operator()) {
      case EQUAL -> areThere && order == 0;
      case NOT_EQUAL -> !areThere || order != 0;
      case LESS -> areThere && order < 0;
      case AT_MOST -> areThere && order <= 0;
      case GREATER -> areThere && order > 0;
      case AT_LEAST -> areThere && order >= 0;
      case STARTS_WITH -> throw new IllegalStateException("a world has no STRING");
    };
  }

  private static OptionalLong value(Operand operand, Bytes key, List<Column> columns) {
    if (operand instanceof Literal literal) {
      return OptionalLong.of(((IntegerValue) literal.value()).value());
    }
    String name = ((NamedColumn) operand).name();
    if (name.equals(RowFold.SCHEMA.get(0).name())) {
      return OptionalLong.of(RowFold.id(key));
    }
    return columns.stream()
        .filter(column -> column.getName().equals(name))
        .mapToLong(column -> column.getValue().asLong())
        .findFirst();
  }
}
