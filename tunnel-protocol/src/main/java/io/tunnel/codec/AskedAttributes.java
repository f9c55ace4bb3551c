package io.tunnel.codec;

import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.Returning;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * What changes ask of the server that judges them, as lists of attributes. Rows of a batch often
 * ask for equal things in turn, so the condition and the columns of the last row are kept encoded.
 */
final class AskedAttributes {

  private final List<PrimaryKeySchema> schema;

  /** The condition on columns that was encoded last; null before the first. */
  private Condition condition;

  /** The attributes of a row with {@link #condition}. */
  private Bytes conditionList = Bytes.EMPTY;

  /** What a row returned last; null before the first. */
  private Returning returning;

  private Bytes encodedReturning = Bytes.EMPTY;

  AskedAttributes(List<PrimaryKeySchema> schema) {
    this.schema = schema;
  }

  /**
   * The list of a change; empty when it asks for nothing.
   *
   * @throws IllegalArgumentException when its condition names what rows do not have, or it returns
   *     a column of the key
   */
  Bytes of(RowChange row) {
    Bytes list = row.columnCondition().map(this::listOf).orElse(Bytes.EMPTY);
    if (row instanceof RowUpdateChange update) {
      Bytes before = list;
      list =
          Increments.of(update)
              .map(all -> Attributes.with(FormatFeature.INCREMENT.number(), all.encode(), before))
              .orElse(before);
    }
    return row.returning().isPresent()
        ? Attributes.with(FormatFeature.RETURNING.number(), encoded(row.returning().get()), list)
        : list;
  }

  private Bytes listOf(Condition wanted) {
    if (!wanted.equals(condition)) {
      Condition legal = ConditionPlace.ofRows(schema).require(wanted);
      ByteSink list = new ByteSink(128);
      Attributes.write(list, FormatFeature.CONDITION.number(), legal.encode());
      conditionList = Bytes.copyOf(list.array(), 0, list.size());
      condition = wanted;
    }
    return conditionList;
  }

  private Bytes encoded(Returning wanted) {
    if (!wanted.equals(returning)) {
      encodedReturning = ReturningCodec.encode(wanted.require(schema));
      returning = wanted;
    }
    return encodedReturning;
  }
}
