package io.tunnel.condition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ColumnOf;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.Literal;
import io.tunnel.condition.NamedColumn;
import io.tunnel.condition.Operand;
import io.tunnel.condition.Operator;
import io.tunnel.model.ChangeKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Evaluates one condition over encoded rows. An evaluation makes no objects: the condition is a
 * list of tests over {@link Cells}, and a row fills the cells with places in its own array.
 *
 * <p>Each test names the next test for either answer. The next test always has a lower index, so an
 * evaluation ends after at most as many tests as the condition has nodes. Not thread-safe.
 */
public final class Judge {

  private static final int HOLDS = -1;
  private static final int FAILS = -2;

  private final Cells cells;
  private final NamedCells rowNames;
  private final List<Test> building = new ArrayList<>();
  private final Test[] tests;
  private final int first;

  /** The batch whose dictionary {@link #rowNames} has; null before the first. */
  private ChangeBatch batch;

  /** The kind of the change that is evaluated; null where rows are. */
  private ChangeKind kind;

  /** Compares {@code left} with {@code right}, or asks of {@code left} alone. */
  private record Test(
      Question question, int left, int right, ChangeKind kind, int ifTrue, int ifFalse) {}

  /** What a test asks. */
  private enum Question {
    EQUAL,
    NOT_EQUAL,
    LESS,
    AT_MOST,
    GREATER,
    AT_LEAST,
    STARTS_WITH,
    EXISTS,
    CHANGE_IS
  }

  /**
   * An evaluator of {@code condition}.
   *
   * @throws IllegalArgumentException when the condition names what the place does not have
   */
  public Judge(Condition condition, ConditionPlace place) {
    place.require(condition);
    Set<Operand> operands = new LinkedHashSet<>();
    collect(condition, operands);
    List<NamedColumn> columns = new ArrayList<>();
    List<Literal> literals = new ArrayList<>();
    for (Operand operand : operands) {
      if (operand instanceof NamedColumn column) {
        columns.add(column);
      } else {
        literals.add((Literal) operand);
      }
    }
    cells = new Cells(columns, literals, place);
    rowNames = new NamedCells(cells, ColumnOf.ROW);
    first = compile(condition, HOLDS, FAILS);
    tests = building.toArray(new Test[0]);
  }

  private static void collect(Condition condition, Set<Operand> operands) {
    if (condition instanceof Condition.All all) {
      all.parts().forEach(part -> collect(part, operands));
    } else if (condition instanceof Condition.Any any) {
      any.parts().forEach(part -> collect(part, operands));
    } else if (condition instanceof Condition.Not not) {
      collect(not.part(), operands);
    } else if (condition instanceof Condition.Comparison comparison) {
      operands.add(comparison.column());
      operands.add(comparison.operand());
    } else if (condition instanceof Condition.Exists exists) {
      operands.add(exists.column());
    }
  }

  /** Adds the tests of a condition, the last one first; returns the first one. */
  private int compile(Condition condition, int ifTrue, int ifFalse) {
    if (condition instanceof Condition.All all) {
      int next = ifTrue;
      for (int i = all.parts().size() - 1; i >= 0; i--) {
        next = compile(all.parts().get(i), next, ifFalse);
      }
      return next;
    }
    if (condition instanceof Condition.Any any) {
      int next = ifFalse;
      for (int i = any.parts().size() - 1; i >= 0; i--) {
        next = compile(any.parts().get(i), ifTrue, next);
      }
      return next;
    }
    if (condition instanceof Condition.Not not) {
      return compile(not.part(), ifFalse, ifTrue);
    }
    building.add(test(condition, ifTrue, ifFalse));
    return building.size() - 1;
  }

  private Test test(Condition leaf, int ifTrue, int ifFalse) {
    if (leaf instanceof Condition.Comparison comparison) {
      return new Test(
          question(comparison.operator()),
          cells.cellOf(comparison.column()),
          cells.cellOf(comparison.operand()),
          ChangeKind.PUT,
          ifTrue,
          ifFalse);
    }
    if (leaf instanceof Condition.Exists exists) {
      int cell = cells.cellOf(exists.column());
      return new Test(Question.EXISTS, cell, cell, ChangeKind.PUT, ifTrue, ifFalse);
    }
    ChangeKind wanted = ((Condition.ChangeIs) leaf).kind();
    return new Test(Question.CHANGE_IS, 0, 0, wanted, ifTrue, ifFalse);
  }

  private static Question question(Operator operator) {
    return switch (operator) {
      case EQUAL -> Question.EQUAL;
      case NOT_EQUAL -> Question.NOT_EQUAL;
      case LESS -> Question.LESS;
      case AT_MOST -> Question.AT_MOST;
      case GREATER -> Question.GREATER;
      case AT_LEAST -> Question.AT_LEAST;
      case STARTS_WITH -> Question.STARTS_WITH;
    };
  }

  /** Whether the condition holds of a row that a batch carries as it is stored: of a PUT row. */
  public boolean holdsOf(RowCursor row) {
    ChangeBatch ofRow = row.batch();
    if (ofRow != batch) {
      rowNames.read(ofRow);
      batch = ofRow;
    }
    begin();
    key(ofRow.array(), row.keyOffset(), row.keyBytes());
    cells.fillRow(ofRow.array(), row.columnsOffset(), row.rowEnd(), rowNames);
    return holds();
  }

  /** Begins an evaluation of a row without a change: everything is missing. */
  public void begin() {
    cells.clear();
    kind = null;
  }

  /** Begins an evaluation of a change: everything is missing. */
  public void begin(ChangeKind changeKind) {
    cells.clear();
    kind = changeKind;
  }

  /** The names of a dictionary for {@link #columns}, to be read before; the caller may keep it. */
  public NamedCells namedCells(ColumnOf of) {
    return new NamedCells(cells, of);
  }

  /** Gives the encoded key of the row. */
  public void key(byte[] array, int offset, int bytes) {
    cells.fillKey(array, offset, bytes);
  }

  /**
   * Gives encoded columns: a count, and the columns. Called again for the parts of a stored row, in
   * order: each part is on top of the parts before it. A column that a part removes is missing.
   *
   * @param named whose columns, with the names of their dictionary
   * @return the offset after the columns
   */
  public int columns(byte[] array, int offset, int end, NamedCells named) {
    return cells.fillColumns(array, offset, end, named);
  }

  /** The names of the columns of the row that the condition names, but for those of the key. */
  public List<String> rowColumns() {
    return cells.rowColumns();
  }

  /**
   * Gives a column of the row on top of what was given before: its type and its value, or that an
   * update removes the column, as a batch encodes them between {@code from} and {@code end}.
   */
  public void column(String name, byte[] array, int from, int end) {
    cells.fillColumn(name, array, from, end);
  }

  /** Whether the condition holds of what was given since {@link #begin}. */
  public boolean holds() {
    int at = first;
    while (at >= 0) {
      Test test = tests[at];
      at = isTrue(test) ? test.ifTrue() : test.ifFalse();
    }
    return at == HOLDS;
  }

  private boolean isTrue(Test test) {
    return switch (test.question()) {
      case EQUAL -> cells.compare(test.left(), test.right()) == 0;
      case NOT_EQUAL -> cells.compare(test.left(), test.right()) != 0;
      case LESS -> cells.compare(test.left(), test.right()) == -1;
      case AT_MOST -> cells.compare(test.left(), test.right()) <= 0;
      case GREATER -> cells.compare(test.left(), test.right()) == 1;
      case AT_LEAST -> isAtLeast(cells.compare(test.left(), test.right()));
      case STARTS_WITH -> cells.startsWith(test.left(), test.right());
      case EXISTS -> !cells.isMissing(test.left());
      case CHANGE_IS -> kind == test.kind();
    };
  }

  private static boolean isAtLeast(int compared) {
    return compared == 0 || compared == 1;
  }
}
