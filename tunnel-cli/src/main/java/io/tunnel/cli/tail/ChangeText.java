package io.tunnel.cli.tail;

import com.google.gson.JsonObject;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.Printable;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.stream.Collectors;

/** A change as one line, for people or for programs. */
final class ChangeText {

  static final String HEADING =
      "TIME                      PARTITION    POSITION  KIND    KEY  COLUMNS";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private ChangeText() {}

  /** For people: long values are cut, and what could harm the terminal is escaped. */
  static String line(StreamRecord record) {
    String columns =
        record.getColumns().stream().map(ChangeText::column).collect(Collectors.joining(", "));
    String key =
        record.getPrimaryKey().getPrimaryKeyColumns().stream()
            .map(column -> Printable.of(column.getName()) + "=" + Printable.cut(column.getValue()))
            .collect(Collectors.joining(", ", "(", ")"));
    return String.format(
            Locale.ROOT,
            "%s  %9d  %10d  %-6s  %s  %s",
            TIME.format(Instant.EPOCH.plus(record.commitMicros(), ChronoUnit.MICROS)),
            record.partition(),
            record.position(),
            record.getRecordType(),
            key,
            record.deletionCause().map(Enum::name).orElse(columns) + atomic(record))
        .stripTrailing();
  }

  /** As {@link #line(StreamRecord)}; a row that was there before stands as a ROW. */
  static String line(WatchEvent event) {
    String line = line(event.record());
    return event.type() == WatchEvent.Type.ROW ? line.replaceFirst("  PUT   ", "  ROW   ") : line;
  }

  /** As {@link #json(StreamRecord)}, with the member {@code isRow} for a row. */
  static String json(WatchEvent event) {
    String json = json(event.record());
    return event.type() == WatchEvent.Type.ROW ? "{\"isRow\":true," + json.substring(1) : json;
  }

  /** Says which change of how many of an atomic batch the record is. */
  private static String atomic(StreamRecord record) {
    return record
        .atomicBatch()
        .map(
            batch ->
                String.format(Locale.ROOT, "  [atomic %d/%d]", batch.index() + 1, batch.size()))
        .orElse("");
  }

  private static String column(RecordColumn column) {
    return column.getColumnType() == RecordColumn.ColumnType.PUT
        ? Printable.of(column.name())
            + "="
            + Printable.cut(column.getColumn().getValue())
            + column.delta().map(delta -> String.format(Locale.ROOT, " (%+d)", delta)).orElse("")
        : "-" + Printable.of(column.name());
  }

  /** For programs: a {@link TypedJson} with the change's place in front. */
  static String json(StreamRecord record) {
    JsonObject json = new JsonObject();
    json.addProperty("partition", record.partition());
    json.addProperty("position", record.position());
    json.addProperty("commitMicros", record.commitMicros());
    record
        .atomicBatch()
        .ifPresent(
            batch -> {
              JsonObject of = new JsonObject();
              of.addProperty("number", batch.number());
              of.addProperty("index", batch.index());
              of.addProperty("size", batch.size());
              json.add("atomicBatch", of);
            });
    JsonObject change = TypedJson.of(change(record));
    for (RecordColumn column : record.getColumns()) {
      column.delta().ifPresent(delta -> TypedJson.added(change, column.name(), delta));
    }
    record.deletionCause().ifPresent(cause -> change.addProperty("cause", cause.name()));
    change.asMap().forEach(json::add);
    return json.toString();
  }

  private static RowChange change(StreamRecord record) {
    return switch (record.getRecordType()) {
      case PUT ->
          new RowPutChange(
              record.getPrimaryKey(),
              record.getColumns().stream().map(RecordColumn::getColumn).toList());
      case UPDATE ->
          new RowUpdateChange(
              record.getPrimaryKey(),
              record.getColumns().stream().map(ChangeText::update).toList());
      case DELETE -> new RowDeleteChange(record.getPrimaryKey());
    };
  }

  private static ColumnUpdate update(RecordColumn column) {
    if (column.getColumnType() != RecordColumn.ColumnType.PUT) {
      return new ColumnUpdate.Delete(column.name());
    }
    Column set = column.getColumn();
    return new ColumnUpdate.Put(set.getName(), set.getValue());
  }
}
