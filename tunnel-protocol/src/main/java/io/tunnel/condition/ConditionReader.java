package io.tunnel.condition;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Reads an encoded condition. Whether there is another spelling of it, the codec finds out. */
final class ConditionReader {

  private static final String NEWER = "; a newer version has written it, or the bytes are damaged";

  private final byte[] array;
  private final List<NamedColumn> columns = new ArrayList<>();
  private int at;
  private int nodes;

  ConditionReader(byte[] array) {
    this.array = array;
  }

  Condition read() {
    int form = readByte("the form");
    if (form != ConditionCodec.FORM) {
      throw new MalformedException(
          "a condition of form " + form + "; known is form " + ConditionCodec.FORM + NEWER);
    }
    // A column takes three bytes at least, so a count that is a lie ends where the bytes do.
    for (int count = readVarint(); count > 0; count--) {
      ColumnOf of = ofCode(ColumnOf.values(), ColumnOf::code, "a column of");
      byte[] name = readSized();
      columns.add(valid(() -> new NamedColumn(of, Utf8.decodeStrictly(name))));
    }
    Condition condition = readNode(1);
    if (at != array.length) {
      throw new MalformedException((array.length - at) + " bytes after a condition");
    }
    return condition;
  }

  private Condition readNode(int depth) {
    if (depth > Condition.DEPTH_MAX) {
      throw new MalformedException("a condition nested more than " + Condition.DEPTH_MAX + " deep");
    }
    if (++nodes > Condition.NODES_MAX) {
      throw new MalformedException("a condition of more than " + Condition.NODES_MAX + " nodes");
    }
    int kind = readByte("the kind of a node");
    return switch (kind) {
      case ConditionCodec.ALL -> {
        List<Condition> parts = readParts(depth);
        yield valid(() -> new Condition.All(parts));
      }
      case ConditionCodec.ANY -> {
        List<Condition> parts = readParts(depth);
        yield valid(() -> new Condition.Any(parts));
      }
      case ConditionCodec.NOT -> {
        Condition part = readNode(depth + 1);
        yield valid(() -> new Condition.Not(part));
      }
      case ConditionCodec.COMPARISON -> readComparison();
      case ConditionCodec.EXISTS -> new Condition.Exists(readColumn());
      case ConditionCodec.CHANGE_IS ->
          new Condition.ChangeIs(ofCode(ChangeKind.values(), ChangeKind::code, "a change of kind"));
      default ->
          throw new MalformedException(
              "a condition with a node of kind "
                  + kind
                  + "; known are kinds "
                  + ConditionCodec.ALL
                  + " to "
                  + ConditionCodec.CHANGE_IS
                  + NEWER);
    };
  }

  private List<Condition> readParts(int depth) {
    List<Condition> parts = new ArrayList<>();
    for (int count = readVarint(); count > 0; count--) {
      parts.add(readNode(depth + 1));
    }
    return parts;
  }

  private Condition readComparison() {
    Operator operator = ofCode(Operator.values(), Operator::code, "the operator");
    NamedColumn column = readColumn();
    int type = readByte("the type of a value");
    Operand operand =
        type == ConditionCodec.COLUMN ? readColumn() : valid(() -> new Literal(readValue(type)));
    return valid(() -> new Condition.Comparison(column, operator, operand));
  }

  private NamedColumn readColumn() {
    int index = readVarint();
    if (index >= columns.size()) {
      throw new MalformedException(
          "a condition names column " + index + " and has " + columns.size());
    }
    return columns.get(index);
  }

  private ColumnValue readValue(int type) {
    return switch (type) {
      case ConditionCodec.INTEGER -> ColumnValue.fromLong(readLong());
      case ConditionCodec.DOUBLE -> ColumnValue.fromDouble(Double.longBitsToDouble(readLong()));
      case ConditionCodec.BOOLEAN -> ColumnValue.fromBoolean(readByte("a BOOLEAN") != 0);
      case ConditionCodec.STRING -> ColumnValue.fromString(Utf8.decodeStrictly(readSized()));
      case ConditionCodec.BINARY -> new BinaryValue(Bytes.copyOf(readSized()));
      default -> throw new MalformedException("a condition with a value of type " + type + NEWER);
    };
  }

  private <T> T ofCode(T[] all, ToIntFunction<T> codeOf, String what) {
    int code = readByte(what);
    return Arrays.stream(all)
        .filter(one -> codeOf.applyAsInt(one) == code)
        .findAny()
        .orElseThrow(() -> new MalformedException("a condition with " + what + " " + code + NEWER));
  }

  /** What the tree refuses, the bytes may not say. */
  private static <T> T valid(Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new MalformedException("an encoded condition is refused: " + e.getMessage());
    }
  }

  private int readByte(String what) {
    requireBytes(1, what);
    return Binary.getByte(array, at++);
  }

  private long readLong() {
    requireBytes(Long.BYTES, "a number");
    at += Long.BYTES;
    return Binary.getLong(array, at - Long.BYTES);
  }

  private int readVarint() {
    long varint = Binary.getVarint(array, at, array.length);
    at = Binary.next(varint);
    return Binary.value(varint);
  }

  private byte[] readSized() {
    int bytes = readVarint();
    requireBytes(bytes, "a text");
    at += bytes;
    return Arrays.copyOfRange(array, at - bytes, at);
  }

  private void requireBytes(int bytes, String what) {
    if (bytes > array.length - at) {
      throw new MalformedException(
          what
              + " in a condition takes "
              + bytes
              + " bytes where "
              + (array.length - at)
              + " are left");
    }
  }
}
