package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import java.util.List;

/** Why a server refused a row: the code of the refusal, in words about the change. */
final class RowRefusals {

  private RowRefusals() {}

  static String message(RowChange change, ErrorCode code) {
    if (code == ErrorCode.CONDITION_FAILED) {
      return condition(change) + " does not hold of the row";
    } else if (code == ErrorCode.NOT_AN_INTEGER) {
      return "the row has no INTEGER in " + increments(change);
    } else if (code == ErrorCode.INTEGER_OVERFLOW) {
      String result =
          change.isIncrement()
              ? "the result of the increment of " + increments(change)
              : "the next number of the key";
      return result + " has no room in an INTEGER of 64 bits";
    } else if (code == ErrorCode.BATCH_REFUSED) {
      return "another row of the atomic batch was refused";
    }
    return "the server refused the row: " + code;
  }

  /** Of two conditions the server does not say which failed. */
  private static String condition(RowChange change) {
    RowExistenceExpectation existence = change.condition();
    return change
        .columnCondition()
        .map(
            columns ->
                (existence == RowExistenceExpectation.IGNORE ? "" : existence + ", or ")
                    + "'"
                    + Names.shortened(columns.text())
                    + "'")
        .orElseGet(existence::name);
  }

  private static String increments(RowChange change) {
    List<String> columns =
        change instanceof RowUpdateChange update
            ? update.updates().stream()
                .filter(ColumnUpdate.Increment.class::isInstance)
                .map(each -> "'" + Names.shortened(each.name()) + "'")
                .toList()
            : List.of();
    return (columns.size() > 1 ? "one of " : "") + Names.listed(columns);
  }
}
