package io.tunnel.condition;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Conditions as bytes: a form, the columns in the order of their first use, and the nodes, each
 * before its parts; {@code docs/reference/protocol.md} draws them.
 */
final class ConditionCodec {

  static final int FORM = 1;

  static final int ALL = 1;
  static final int ANY = 2;
  static final int NOT = 3;
  static final int COMPARISON = 4;
  static final int EXISTS = 5;
  static final int CHANGE_IS = 6;

  static final int COLUMN = 0;
  static final int INTEGER = 1;
  static final int DOUBLE = 2;
  static final int BOOLEAN = 3;
  static final int STRING = 4;
  static final int BINARY = 5;

  private final Map<NamedColumn, Integer> indexes = new LinkedHashMap<>();
  private final ByteSink nodes = new ByteSink(128);

  private ConditionCodec() {}

  static Bytes encode(Condition condition) {
    ConditionCodec codec = new ConditionCodec();
    codec.write(condition);
    ByteSink sink = new ByteSink(256);
    sink.writeByte(FORM);
    sink.writeVarint(codec.indexes.size());
    for (NamedColumn column : codec.indexes.keySet()) {
      sink.writeByte(column.of().code());
      writeSized(sink, Utf8.encode(column.name()));
    }
    sink.write(codec.nodes.array(), 0, codec.nodes.size());
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** Reads what there is, and then compares: so nothing has two spellings. */
  static Condition decode(Bytes encoded) {
    if (encoded.length() > Condition.BYTES_MAX) {
      throw new MalformedException(
          "a condition of "
              + encoded.length()
              + " bytes; at most "
              + Condition.BYTES_MAX
              + " are allowed");
    }
    Condition condition = new ConditionReader(encoded.toByteArray()).read();
    Bytes canonical = encode(condition);
    if (!canonical.equals(encoded)) {
      throw new MalformedException(
          "the condition "
              + condition
              + " is encoded in another way than as "
              + canonical
              + ", such as with columns in another order");
    }
    return condition;
  }

  private void write(Condition condition) {
    if (condition instanceof Condition.All all) {
      nodes.writeByte(ALL);
      writeParts(all.parts());
    } else if (condition instanceof Condition.Any any) {
      nodes.writeByte(ANY);
      writeParts(any.parts());
    } else if (condition instanceof Condition.Not not) {
      nodes.writeByte(NOT);
      write(not.part());
    } else if (condition instanceof Condition.Comparison comparison) {
      nodes.writeByte(COMPARISON);
      nodes.writeByte(comparison.operator().code());
      writeColumn(comparison.column());
      if (comparison.operand() instanceof Literal literal) {
        writeValue(literal.value());
      } else {
        nodes.writeByte(COLUMN);
        writeColumn((NamedColumn) comparison.operand());
      }
    } else if (condition instanceof Condition.Exists exists) {
      nodes.writeByte(EXISTS);
      writeColumn(exists.column());
    } else if (condition instanceof Condition.ChangeIs is) {
      nodes.writeByte(CHANGE_IS);
      nodes.writeByte(is.kind().code());
    }
  }

  private void writeParts(List<Condition> parts) {
    nodes.writeVarint(parts.size());
    parts.forEach(this::write);
  }

  private void writeColumn(NamedColumn column) {
    Integer known = indexes.putIfAbsent(column, indexes.size());
    nodes.writeVarint(known == null ? indexes.size() - 1 : known);
  }

  private void writeValue(ColumnValue value) {
    if (value instanceof IntegerValue integer) {
      nodes.writeByte(INTEGER);
      nodes.writeLong(integer.value());
    } else if (value instanceof DoubleValue number) {
      nodes.writeByte(DOUBLE);
      nodes.writeLong(Double.doubleToRawLongBits(number.value()));
    } else if (value instanceof BooleanValue truth) {
      nodes.writeByte(BOOLEAN);
      nodes.writeByte(truth.value() ? 1 : 0);
    } else if (value instanceof StringValue string) {
      nodes.writeByte(STRING);
      writeSized(nodes, Utf8.encode(string.value()));
    } else if (value instanceof BinaryValue binary) {
      nodes.writeByte(BINARY);
      nodes.writeVarint(binary.value().length());
      nodes.write(binary.value());
    }
  }

  private static void writeSized(ByteSink sink, byte[] bytes) {
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }
}
