package io.tunnel.model;

import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * One primary-key column of a table.
 *
 * @param name the name
 * @param type the type
 * @param isAuto whether the server numbers the column where a PUT asks for a number: each number is
 *     larger than all numbers that the column had before in the partition. Only an INTEGER can be
 */
public record PrimaryKeySchema(String name, PrimaryKeyType type, boolean isAuto) {

  /**
   * Refuses null and bad names.
   *
   * @throws IllegalArgumentException also for a column that the server numbers and that is no
   *     INTEGER
   */
  public PrimaryKeySchema {
    Names.requireColumnName(name);
    Objects.requireNonNull(type, "type");
    if (isAuto && type != PrimaryKeyType.INTEGER) {
      throw new IllegalArgumentException(
          "key column '"
              + name
              + "' is "
              + type
              + " and AUTO; the server numbers INTEGER columns only");
    }
  }

  /** A column that writers give. */
  public PrimaryKeySchema(String name, PrimaryKeyType type) {
    this(name, type, false);
  }

  /** An INTEGER column that the server numbers. */
  public static PrimaryKeySchema auto(String name) {
    return new PrimaryKeySchema(name, PrimaryKeyType.INTEGER, true);
  }

  /** The place of the column that the server numbers; empty when the key has none. */
  public static OptionalInt autoPlace(List<PrimaryKeySchema> key) {
    for (int i = 0; i < key.size(); i++) {
      if (key.get(i).isAuto()) {
        return OptionalInt.of(i);
      }
    }
    return OptionalInt.empty();
  }

  /** As people write a column of a key, in options and messages: {@code seq:INTEGER:AUTO}. */
  @Override
  public String toString() {
    return name + ":" + type + (isAuto ? ":AUTO" : "");
  }

  /** For people: {@code seq INTEGER AUTO}. */
  public String describe() {
    return name + " " + type + (isAuto ? " AUTO" : "");
  }
}
