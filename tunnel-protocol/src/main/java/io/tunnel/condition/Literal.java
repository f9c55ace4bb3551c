package io.tunnel.condition;

import io.tunnel.codec.Utf8;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.StringValue;
import java.util.Objects;

/** A value in a condition. */
public record Literal(ColumnValue value) implements Operand {

  /** Refuses null, NaN, which nothing equals, and text that UTF-8 cannot encode. */
  public Literal {
    Objects.requireNonNull(value, "value");
    if (value instanceof DoubleValue number && Double.isNaN(number.value())) {
      throw new IllegalArgumentException(
          "NaN is no value of a condition, since nothing equals it; a column x that is NaN is found"
              + " by: exists x and x != x");
    }
    if (value instanceof StringValue string) {
      var unused = Utf8.encode(string.value());
    }
  }
}
