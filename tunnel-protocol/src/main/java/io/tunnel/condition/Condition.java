package io.tunnel.condition;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a row, or a change of a row, must be like. A condition that exists is within all limits:
 * {@value #NODES_MAX} nodes, {@value #DEPTH_MAX} deep, {@value #BYTES_MAX} bytes encoded, {@value
 * #TEXT_BYTES_MAX} bytes of canonical text; what would exceed them is refused with an {@link
 * IllegalArgumentException}.
 *
 * <p>Where the two sides of a comparison do not compare, because a column is missing, the types
 * differ or a side is NaN, the sides are unequal, and nothing else holds of them.
 */
public sealed interface Condition {

  /** Nodes of a condition: each of the records below is one. */
  int NODES_MAX = 64;

  /** Nodes from the outermost to the innermost, both counted. */
  int DEPTH_MAX = 16;

  /** Bytes of an encoded condition. */
  int BYTES_MAX = 16 * 1024;

  /** Bytes of a condition's text in UTF-8. */
  int TEXT_BYTES_MAX = 16 * 1024;

  /** Holds where all parts hold. Two parts or more; an {@code All} has no {@code All} as a part. */
  record All(List<Condition> parts) implements Condition {
    /** Refuses fewer than two parts and an {@code All} among them. */
    public All(List<Condition> parts) {
      this.parts = ConditionLimits.requireParts("and", parts, All.class);
      ConditionLimits.require(this);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Holds where a part holds. Two parts or more; an {@code Any} has no {@code Any} as a part. */
  record Any(List<Condition> parts) implements Condition {
    /** Refuses fewer than two parts and an {@code Any} among them. */
    public Any(List<Condition> parts) {
      this.parts = ConditionLimits.requireParts("or", parts, Any.class);
      ConditionLimits.require(this);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Holds where its part does not. */
  record Not(Condition part) implements Condition {
    /** Refuses null. */
    public Not(Condition part) {
      this.part = Objects.requireNonNull(part, "part");
      ConditionLimits.require(this);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Compares a column with a value, or with another column. */
  record Comparison(NamedColumn column, Operator operator, Operand operand) implements Condition {
    /** Refuses {@link Operator#STARTS_WITH} with a value that is no STRING and no BINARY. */
    public Comparison(NamedColumn column, Operator operator, Operand operand) {
      this.column = Objects.requireNonNull(column, "column");
      this.operator = Objects.requireNonNull(operator, "operator");
      this.operand = Objects.requireNonNull(operand, "operand");
      ConditionLimits.requirePrefix(operator, operand);
      ConditionLimits.require(this);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Holds where the column is not missing. */
  record Exists(NamedColumn column) implements Condition {
    /** Refuses null. */
    public Exists {
      Objects.requireNonNull(column, "column");
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /** Holds of changes of a kind. */
  record ChangeIs(ChangeKind kind) implements Condition {
    /** Refuses null. */
    public ChangeIs {
      Objects.requireNonNull(kind, "kind");
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /**
   * The condition that a text says.
   *
   * @throws ConditionException when the text is no condition, with the place in the text
   */
  static Condition parse(String text) {
    return new ConditionParser(text, column -> {}, condition -> {}).parse();
  }

  /**
   * The condition that a text says, for a place.
   *
   * @throws ConditionException when the text is no condition, or names what the place does not
   *     have, with the place in the text
   */
  static Condition parse(String text, ConditionPlace place) {
    return new ConditionParser(text, place::requireColumn, place::requirePart).parse();
  }

  /**
   * The condition that bytes encode.
   *
   * @throws MalformedException when the bytes are not exactly what {@link #encode} makes of a
   *     condition; a form or a kind of node that this version does not know is named
   */
  static Condition decode(Bytes encoded) {
    return ConditionCodec.decode(encoded);
  }

  /** The bytes of this condition; equal conditions have equal bytes. */
  default Bytes encode() {
    return ConditionCodec.encode(this);
  }

  /** The canonical text: one line without control characters; {@link #parse} understands it. */
  default String text() {
    return ConditionText.of(this);
  }

  /** A column of the row. */
  static NamedColumn column(String name) {
    return new NamedColumn(ColumnOf.ROW, name);
  }

  /** A column of the row before a change. */
  static NamedColumn before(String name) {
    return new NamedColumn(ColumnOf.BEFORE, name);
  }

  /** A column as a change sets it. */
  static NamedColumn change(String name) {
    return new NamedColumn(ColumnOf.CHANGE, name);
  }

  /** Holds of changes of a kind. */
  static Condition changeIs(ChangeKind kind) {
    return new ChangeIs(kind);
  }

  /** Holds where all hold; parts that are an {@code and} themselves are taken apart. */
  static Condition all(List<Condition> conditions) {
    List<Condition> parts = new ArrayList<>();
    for (Condition condition : conditions) {
      if (condition instanceof All all) {
        parts.addAll(all.parts());
      } else {
        parts.add(condition);
      }
    }
    return parts.size() == 1 ? parts.get(0) : new All(parts);
  }

  /** Holds where one holds; parts that are an {@code or} themselves are taken apart. */
  static Condition any(List<Condition> conditions) {
    List<Condition> parts = new ArrayList<>();
    for (Condition condition : conditions) {
      if (condition instanceof Any any) {
        parts.addAll(any.parts());
      } else {
        parts.add(condition);
      }
    }
    return parts.size() == 1 ? parts.get(0) : new Any(parts);
  }

  /** Holds where this and the other hold. */
  default Condition and(Condition other) {
    return all(List.of(this, other));
  }

  /** Holds where this or the other holds. */
  default Condition or(Condition other) {
    return any(List.of(this, other));
  }

  /** Holds where this does not. */
  default Condition negate() {
    return new Not(this);
  }
}
