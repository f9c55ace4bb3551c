package io.tunnel.partition.tool;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.Bar;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A table with its partitions, for people and for programs. */
public final class TableReport {

  /** The open lower end of the first partition. */
  static final String LOWEST = "(lowest)";

  /** The open upper end of the last partition. */
  static final String HIGHEST = "(highest)";

  private static final int BAR_WIDTH = 20;

  private TableReport() {}

  /** The table, one line a partition with a bar of its rows, and how evenly they are spread. */
  public static List<String> lines(TableInfo table) {
    List<Long> rows = rows(table);
    Spread spread = Spread.of(rows);
    List<String> lines = new ArrayList<>();
    lines.add(
        "table "
            + table.meta().name()
            + ": key "
            + KeyText.formatSchema(table.meta().primaryKey())
            + ", "
            + options(table.meta().options())
            + ", created "
            + Instant.ofEpochMilli(table.createdMs()));
    lines.add("");
    lines.addAll(partitions(table, spread.max()).lines());
    lines.add("");
    String about = allAreExact(table) ? "" : "~";
    lines.add(
        Human.counted(table.partitions().size(), "partition")
            + ", "
            + about
            + Human.counted(sum(rows), "row")
            + ", "
            + Human.bytes(bytes(table)));
    lines.add(
        String.format(
            Locale.ROOT,
            "rows of a partition: %5$smin %1$s, mean %2$s, max %3$s, skew %4$.2f (max / mean)",
            Human.count(spread.min()),
            Human.count(Math.round(spread.mean())),
            Human.count(spread.max()),
            spread.skew(),
            about));
    return lines;
  }

  /** A table's options as they stand in a sentence; a retention for ever is not spoken of. */
  public static String options(TableOptions options) {
    StringBuilder text = new StringBuilder("durability ").append(options.durability());
    if (options.retentionMs() > 0) {
      text.append(", retention ").append(Human.duration(options.retentionMs()));
    }
    if (options.retentionBytes() > 0) {
      text.append(options.retentionMs() > 0 ? " and " : ", retention ")
          .append(Human.bytes(options.retentionBytes()));
    }
    options.ttlMs().ifPresent(ms -> text.append(", time to live ").append(Human.duration(ms)));
    return text.toString();
  }

  /** A table's name and options. */
  public static JsonObject optionsJson(TableMeta meta) {
    JsonObject json = new JsonObject();
    json.addProperty("table", meta.name());
    addOptions(json, meta.options());
    return json;
  }

  static void addOptions(JsonObject json, TableOptions options) {
    json.addProperty("durability", options.durability().name());
    json.addProperty("retentionMs", options.retentionMs());
    json.addProperty("retentionBytes", options.retentionBytes());
    json.addProperty("ttlMs", options.ttlMs().orElse(0L));
  }

  private static TextTable partitions(TableInfo table, long mostRows) {
    TextTable lines =
        new TextTable(
            ">ID", "FROM", "TO", ">ROWS", ">BYTES", ">CHANGES", ">FIRST", ">COMMITTED", "SKEW");
    for (PartitionInfo partition : table.partitions()) {
      PartitionFigures figures = figures(partition);
      lines.row(
          Integer.toString(partition.id()),
          partition.from().map(KeyText::format).orElse(LOWEST),
          partition.to().map(KeyText::format).orElse(HIGHEST),
          (figures.rowCountIsExact() ? "" : "~") + Human.count(figures.rowCount()),
          Human.bytes(figures.byteCount()),
          isKnown(figures.changeBytes()) ? Human.bytes(figures.changeBytes()) : "?",
          Human.count(figures.firstPosition()),
          Human.count(figures.committed()),
          Bar.of(figures.rowCount(), mostRows, BAR_WIDTH));
    }
    return lines;
  }

  private static boolean isKnown(long figure) {
    return figure != PartitionFigures.UNKNOWN;
  }

  /** The table as one object. Ends of partitions are null where they are open. */
  public static JsonObject json(TableInfo table) {
    JsonObject json = new JsonObject();
    json.addProperty("table", table.meta().name());
    json.addProperty("tableId", table.tableId());
    json.add("key", key(table.meta().primaryKey()));
    addOptions(json, table.meta().options());
    json.addProperty("createdMs", table.createdMs());
    json.addProperty("rowCount", sum(rows(table)));
    json.addProperty("rowCountIsExact", allAreExact(table));
    json.addProperty("byteCount", bytes(table));
    Spread spread = Spread.of(rows(table));
    json.addProperty("partitionRowsMin", spread.min());
    json.addProperty("partitionRowsMean", spread.mean());
    json.addProperty("partitionRowsMax", spread.max());
    json.addProperty("skew", spread.skew());
    JsonArray partitions = new JsonArray();
    table.partitions().forEach(partition -> partitions.add(json(partition)));
    json.add("partitions", partitions);
    return json;
  }

  private static JsonObject json(PartitionInfo partition) {
    PartitionFigures figures = figures(partition);
    JsonObject json = new JsonObject();
    json.addProperty("partition", partition.id());
    json.addProperty("from", partition.from().map(KeyText::format).orElse(null));
    json.addProperty("to", partition.to().map(KeyText::format).orElse(null));
    json.addProperty("rowCount", figures.rowCount());
    json.addProperty("rowCountIsExact", figures.rowCountIsExact());
    json.addProperty("byteCount", figures.byteCount());
    json.addProperty("changeBytes", isKnown(figures.changeBytes()) ? figures.changeBytes() : null);
    json.addProperty("firstPosition", figures.firstPosition());
    json.addProperty("committed", figures.committed());
    return json;
  }

  static JsonArray key(List<PrimaryKeySchema> key) {
    JsonArray columns = new JsonArray();
    for (PrimaryKeySchema column : key) {
      JsonObject json = new JsonObject();
      json.addProperty("name", column.name());
      json.addProperty("type", column.type().name());
      if (column.isAuto()) {
        json.addProperty("isAuto", true);
      }
      columns.add(json);
    }
    return columns;
  }

  private static List<Long> rows(TableInfo table) {
    return allFigures(table).map(PartitionFigures::rowCount).toList();
  }

  private static long bytes(TableInfo table) {
    return allFigures(table).mapToLong(PartitionFigures::byteCount).sum();
  }

  private static boolean allAreExact(TableInfo table) {
    return allFigures(table).allMatch(PartitionFigures::rowCountIsExact);
  }

  private static Stream<PartitionFigures> allFigures(TableInfo table) {
    return table.partitions().stream().map(TableReport::figures);
  }

  /** A table that is reported was described with figures. */
  private static PartitionFigures figures(PartitionInfo partition) {
    return partition.figures().orElseThrow();
  }

  private static long sum(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sum();
  }
}
