package io.tunnel.condition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCursor;
import io.tunnel.codec.Utf8;
import io.tunnel.condition.ColumnOf;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.Literal;
import io.tunnel.condition.NamedColumn;
import io.tunnel.condition.Operand;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The values of a condition's columns and literals, as places in the arrays that they came in. Only
 * this class knows how rows are laid out. A cell of a column is missing until a row fills it.
 */
final class Cells {

  private final List<Operand> operands = new ArrayList<>();

  /** The columns among {@link #operands}, each with its name; the others are literals. */
  private final List<NamedColumn> columns;

  /** Per cell of a column: the index in the key, or -1. */
  private final int[] keyIndexes;

  /** Per cell of a column: the name in UTF-8. */
  private final byte[][] names;

  /** The names of the columns of the row that are not of the key. */
  private final List<String> rowColumns = new ArrayList<>();

  /** Per name of {@link #rowColumns}: its cell. */
  private final int[] rowCells;

  /** Key columns up to which a key must be read: 0 when the condition names none. */
  private final int keyColumns;

  /** Per cell; null when missing. */
  private final ColumnType[] types;

  /** Per cell: an INTEGER, the bits of a DOUBLE, or 0 and 1 of a BOOLEAN. */
  private final long[] numbers;

  /** Per cell of a STRING or BINARY: where it is. */
  private final byte[][] arrays;

  private final int[] starts;
  private final int[] ends;
  private final boolean[] areEscaped;

  private final KeyCursor key = new KeyCursor();
  private final ColumnCursor cursor = new ColumnCursor(new byte[1], 0, 1);

  /** Cells of columns, in the order of the list, and of literals after the columns. */
  Cells(List<NamedColumn> columns, List<Literal> literals, ConditionPlace place) {
    this.columns = List.copyOf(columns);
    operands.addAll(columns);
    operands.addAll(literals);
    int cells = operands.size();
    keyIndexes = new int[columns.size()];
    names = new byte[columns.size()][];
    int highest = 0;
    for (int i = 0; i < keyIndexes.length; i++) {
      NamedColumn column = columns.get(i);
      names[i] = Utf8.encode(column.name());
      keyIndexes[i] = column.of() == ColumnOf.ROW ? place.keyIndex(column.name()) : -1;
      highest = Math.max(highest, keyIndexes[i] + 1);
    }
    keyColumns = highest;
    rowCells =
        IntStream.range(0, keyIndexes.length)
            .filter(cell -> keyIndexes[cell] < 0 && columns.get(cell).of() == ColumnOf.ROW)
            .toArray();
    for (int cell : rowCells) {
      rowColumns.add(columns.get(cell).name());
    }
    types = new ColumnType[cells];
    numbers = new long[cells];
    arrays = new byte[cells][];
    starts = new int[cells];
    ends = new int[cells];
    areEscaped = new boolean[cells];
    for (int i = 0; i < literals.size(); i++) {
      fill(columns.size() + i, literals.get(i).value());
    }
  }

  private void fill(int cell, ColumnValue value) {
    types[cell] = value.getType();
    if (value instanceof IntegerValue integer) {
      numbers[cell] = integer.value();
    } else if (value instanceof DoubleValue number) {
      numbers[cell] = Double.doubleToRawLongBits(number.value());
    } else if (value instanceof BooleanValue truth) {
      numbers[cell] = truth.value() ? 1 : 0;
    } else if (value instanceof StringValue string) {
      fillBytes(cell, Utf8.encode(string.value()));
    } else if (value instanceof BinaryValue binary) {
      fillBytes(cell, binary.value().toByteArray());
    }
  }

  private void fillBytes(int cell, byte[] bytes) {
    arrays[cell] = bytes;
    starts[cell] = 0;
    ends[cell] = bytes.length;
  }

  /** The cell of a column or a literal. */
  int cellOf(Operand operand) {
    return operands.indexOf(operand);
  }

  /** Makes all columns missing. */
  void clear() {
    Arrays.fill(types, 0, names.length, null);
  }

  /** Fills the cells of the key's columns. */
  void fillKey(byte[] array, int offset, int bytes) {
    if (keyColumns == 0) {
      return;
    }
    key.moveTo(array, offset, bytes);
    for (int index = 0; index < keyColumns && key.next(); index++) {
      for (int cell = 0; cell < keyIndexes.length; cell++) {
        if (keyIndexes[cell] == index) {
          fillFromKey(cell, array);
        }
      }
    }
  }

  private void fillFromKey(int cell, byte[] array) {
    types[cell] = key.type();
    if (key.type() == ColumnType.INTEGER) {
      numbers[cell] = key.integer();
    } else {
      arrays[cell] = array;
      starts[cell] = key.valueOffset();
      ends[cell] = key.valueEnd();
      areEscaped[cell] = key.isEscaped();
    }
  }

  /**
   * Fills the cells of encoded columns: of a row, or of one part of a stored row on top of the
   * parts before it. Other cells stay as they are.
   *
   * @return the offset after the columns
   */
  int fillColumns(byte[] array, int offset, int end, NamedCells named) {
    cursor.moveTo(array, offset, end);
    while (cursor.left() > 0) {
      cursor.next();
      int cell = named.cell(cursor.nameIndex());
      if (cell >= 0) {
        fillFromColumn(cell, array);
      }
    }
    return cursor.columnEnd();
  }

  /** As {@link #fillColumns}, of a row of one part; ends when all named columns are found. */
  void fillRow(byte[] array, int offset, int end, NamedCells named) {
    int wanted = named.count();
    if (wanted == 0) {
      return;
    }
    cursor.moveTo(array, offset, end);
    while (wanted > 0 && cursor.left() > 0) {
      cursor.next();
      int cell = named.cell(cursor.nameIndex());
      if (cell >= 0) {
        fillFromColumn(cell, array);
        wanted--;
      }
    }
  }

  /** The names of the columns of the row, but for those of the key. */
  List<String> rowColumns() {
    return rowColumns;
  }

  /** Fills the cell of one column of the row, if the condition names the column. */
  void fillColumn(String name, byte[] array, int from, int end) {
    int at = rowColumns.indexOf(name);
    if (at >= 0) {
      cursor.moveToValue(array, from, end);
      fillFromColumn(rowCells[at], array);
    }
  }

  private void fillFromColumn(int cell, byte[] array) {
    if (cursor.isDelete()) {
      types[cell] = null;
      return;
    }
    ColumnType type = cursor.type();
    types[cell] = type;
    switch (type) {
      case INTEGER, DOUBLE -> numbers[cell] = Binary.getLong(array, cursor.valueOffset());
      case BOOLEAN -> numbers[cell] = array[cursor.valueOffset()];
      case STRING, BINARY -> {
        arrays[cell] = array;
        starts[cell] = cursor.valueOffset();
        ends[cell] = cursor.columnEnd();
      }
    }
  }

  /** The cell of a column that is not of the key; -1 when the condition does not name it. */
  int cellOf(ColumnOf of, byte[] array, int offset, int bytes) {
    for (int cell = 0; cell < names.length; cell++) {
      byte[] name = names[cell];
      if (columns.get(cell).of() == of
          && keyIndexes[cell] < 0
          && name.length == bytes
          && Arrays.equals(name, 0, bytes, array, offset, offset + bytes)) {
        return cell;
      }
    }
    return -1;
  }

  boolean isMissing(int cell) {
    return types[cell] == null;
  }

  /** Whether the sides compare and the left one is less (-1), equal (0) or greater (1). */
  int compare(int left, int right) {
    ColumnType leftType = types[left];
    ColumnType rightType = types[right];
    if (leftType == null || rightType == null) {
      return Numbers.UNORDERED;
    }
    if (leftType != rightType) {
      return Numbers.compareMixed(leftType, numbers[left], rightType, numbers[right]);
    }
    return switch (leftType) {
      case INTEGER, BOOLEAN -> Long.compare(numbers[left], numbers[right]);
      case DOUBLE ->
          Numbers.compare(
              Double.longBitsToDouble(numbers[left]), Double.longBitsToDouble(numbers[right]));
      case STRING, BINARY -> compareBytes(left, right);
    };
  }

  private int compareBytes(int left, int right) {
    if (!areEscaped[left] && !areEscaped[right]) {
      return Integer.signum(
          Arrays.compareUnsigned(
              arrays[left], starts[left], ends[left], arrays[right], starts[right], ends[right]));
    }
    return compareEscaped(left, right, false);
  }

  /** Whether both are STRING or both BINARY, and the left one begins with the right one. */
  boolean startsWith(int left, int right) {
    ColumnType type = types[left];
    if (type != types[right] || (type != ColumnType.STRING && type != ColumnType.BINARY)) {
      return false;
    }
    if (areEscaped[left] || areEscaped[right]) {
      return compareEscaped(left, right, true) == 0;
    }
    int bytes = ends[right] - starts[right];
    return bytes <= ends[left] - starts[left]
        && Arrays.equals(
            arrays[left],
            starts[left],
            starts[left] + bytes,
            arrays[right],
            starts[right],
            ends[right]);
  }

  /** Byte by byte, stepping over the escapes of a key; a prefix compares as equal if asked for. */
  private int compareEscaped(int left, int right, boolean isPrefix) {
    byte[] leftArray = arrays[left];
    byte[] rightArray = arrays[right];
    int leftAt = starts[left];
    int rightAt = starts[right];
    while (leftAt < ends[left] && rightAt < ends[right]) {
      int leftByte = Binary.getByte(leftArray, leftAt);
      int rightByte = Binary.getByte(rightArray, rightAt);
      if (leftByte != rightByte) {
        return leftByte < rightByte ? -1 : 1;
      }
      leftAt += areEscaped[left] && leftByte == 0 ? KeyCursor.ESCAPED_ZERO_BYTES : 1;
      rightAt += areEscaped[right] && rightByte == 0 ? KeyCursor.ESCAPED_ZERO_BYTES : 1;
    }
    if (rightAt < ends[right]) {
      return -1;
    }
    return leftAt < ends[left] && !isPrefix ? 1 : 0;
  }
}
