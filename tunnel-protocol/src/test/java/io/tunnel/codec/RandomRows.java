package io.tunnel.codec;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Schemas, keys and rows of every kind and type, biased towards what breaks encodings: empty texts,
 * zeros, 0xFF, extreme numbers, prefixes of each other, characters of one to four bytes. The same
 * seed gives the same values.
 */
final class RandomRows {

  private static final long[] NUMBERS = {
    0, 1, -1, 255, 256, -256, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE, Long.MAX_VALUE - 1
  };
  private static final int[] CHARACTERS = {
    0, 0, 1, 'a', 'b', '?', 0x7f, 0x80, 0xe9, 0x7ff, 0x800, 0x4e2d, 0xd7ff, 0xe000, 0xfffd, 0xffff,
    0x10000, 0x1f600, 0x10ffff
  };
  private static final byte[] OCTETS = {0, 0, -1, -1, 1, -2, 3, 5, 7, 0x7f, -0x80};

  private final Random random;

  RandomRows(long seed) {
    this.random = new Random(seed);
  }

  List<PrimaryKeySchema> schema() {
    List<PrimaryKeySchema> schema = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      schema.add(new PrimaryKeySchema("key" + i, pick(PrimaryKeyType.values())));
    }
    return schema;
  }

  PrimaryKey key(List<PrimaryKeySchema> schema) {
    return new PrimaryKey(
        schema.stream()
            .map(column -> new PrimaryKeyColumn(column.name(), keyValue(column.type())))
            .toList());
  }

  PrimaryKeyValue keyValue(PrimaryKeyType type) {
    return switch (type) {
      case INTEGER -> PrimaryKeyValue.fromLong(number());
      case STRING -> PrimaryKeyValue.fromString(text());
      case BINARY -> PrimaryKeyValue.fromBinary(bytes());
    };
  }

  RowChange row(List<PrimaryKeySchema> schema) {
    PrimaryKey key = key(schema);
    RowExistenceExpectation condition = pick(RowExistenceExpectation.values());
    List<String> names = names();
    return switch (random.nextInt(3)) {
      case 0 ->
          new RowPutChange(
              key, names.stream().map(name -> new Column(name, value())).toList(), condition);
      case 1 ->
          names.isEmpty()
              ? new RowUpdateChange(key, List.of(new ColumnUpdate.Delete("gone")), condition)
              : new RowUpdateChange(key, names.stream().map(this::update).toList(), condition);
      default -> new RowDeleteChange(key, condition);
    };
  }

  List<RowChange> rows(List<PrimaryKeySchema> schema, int count) {
    List<RowChange> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(row(schema));
    }
    return rows;
  }

  private ColumnUpdate update(String name) {
    return random.nextInt(3) == 0
        ? new ColumnUpdate.Delete(name)
        : new ColumnUpdate.Put(name, value());
  }

  private ColumnValue value() {
    return switch (random.nextInt(5)) {
      case 0 -> ColumnValue.fromLong(number());
      case 1 -> ColumnValue.fromDouble(Double.longBitsToDouble(random.nextLong()));
      case 2 -> ColumnValue.fromBoolean(random.nextBoolean());
      case 3 -> ColumnValue.fromString(text());
      default -> new BinaryValue(bytes());
    };
  }

  /** Mostly the same names in the same order, as rows of one shape have. */
  private List<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      names.add(random.nextInt(4) == 0 ? "é中😀" + random.nextInt(80) : "column" + i);
    }
    return List.copyOf(names);
  }

  private long number() {
    return switch (random.nextInt(3)) {
      case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
      case 1 -> random.nextInt(5) - 2;
      default -> random.nextLong();
    };
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = length(); i > 0; i--) {
      text.appendCodePoint(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return text.toString();
  }

  private Bytes bytes() {
    byte[] bytes = new byte[length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = OCTETS[random.nextInt(OCTETS.length)];
    }
    return Bytes.copyOf(bytes);
  }

  /**
   * Mostly short, so values are prefixes of other values; sometimes too long for a length of a
   * byte.
   */
  private int length() {
    return random.nextInt(20) == 0 ? random.nextInt(250) : random.nextInt(4);
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }
}
