package io.tunnel.codec;

import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * What changes ask of the server that evaluates them, as lists of attributes. Rows of a batch often
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
   *     a column of the key, or its key asks for a number where it cannot have one
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
    if (row.returning().isPresent()) {
      list =
          Attributes.with(FormatFeature.RETURNING.number(), encoded(row.returning().get()), list);
    }
    if (!row.primaryKey().isToBeNumbered()) {
      return list;
    }
    requireNumbered(row);
    return Attributes.with(FormatFeature.AUTO.number(), Bytes.EMPTY, list);
  }

  /** A row that the server numbers is a new one. */
  private void requireNumbered(RowChange row) {
    List<PrimaryKeyColumn> columns = row.primaryKey().getPrimaryKeyColumns();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).getValue().isAuto() && i < schema.size() && !schema.get(i).isAuto()) {
        throw new IllegalArgumentException(
            "key "
                + row.primaryKey()
                + " has AUTO in column '"
                + columns.get(i).getName()
                + "', which the table does not have the server number; give a value");
      }
    }
    if (row.kind() != ChangeKind.PUT) {
      throw new IllegalArgumentException(
          "the "
              + row.kind()
              + " of key "
              + row.primaryKey()
              + " has AUTO where the row must be named; give the number that the result of the"
              + " row's PUT has");
    }
    if (row.condition() == RowExistenceExpectation.EXPECT_EXIST
        || row.columnCondition().isPresent()) {
      throw new IllegalArgumentException(
          "the PUT of key "
              + row.primaryKey()
              + " has AUTO and a condition on its row, which is always a new one; leave the"
              + " condition out");
    }
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
