package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.value.Column;
import io.tunnel.terminal.Printable;
import io.tunnel.terminal.TextTable;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Rows for people; BINARY is hexadecimal. */
public final class RowReport {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private RowReport() {}

  private static String time(long micros) {
    return TIME.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  /** One row with all of every value, one line a column. */
  public static List<String> lines(Row row) {
    TextTable table = new TextTable("COLUMN", "TYPE", "VALUE");
    for (PrimaryKeyColumn column : row.primaryKey().getPrimaryKeyColumns()) {
      table.row(
          column.getName(), column.getValue().getType() + " (key)", column.getValue().toString());
    }
    row.commitMicros().ifPresent(micros -> table.row("COMMITTED", "", time(micros)));
    for (Column column : row.columns()) {
      table.row(column.getName(), column.getValue().getType().name(), column.getValue().toString());
    }
    return table.lines();
  }

  /** One line for each row, with long values cut, below a heading. */
  public static List<String> lines(
      List<PrimaryKeySchema> key, List<Row> rows, boolean hasCommitTime) {
    List<String> headings = new ArrayList<>();
    key.forEach(column -> headings.add(column.name()));
    if (hasCommitTime) {
      headings.add("COMMITTED");
    }
    headings.add("COLUMNS");
    TextTable table = new TextTable(headings);
    for (Row row : rows) {
      List<String> cells = new ArrayList<>();
      row.primaryKey()
          .getPrimaryKeyColumns()
          .forEach(column -> cells.add(Printable.cut(column.getValue())));
      row.commitMicros().ifPresent(micros -> cells.add(time(micros)));
      cells.add(
          row.columns().stream()
              .map(column -> column.getName() + "=" + Printable.cut(column.getValue()))
              .collect(Collectors.joining(", ")));
      table.row(cells);
    }
    return table.lines();
  }
}
