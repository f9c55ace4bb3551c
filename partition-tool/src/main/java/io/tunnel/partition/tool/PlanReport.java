package io.tunnel.partition.tool;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.terminal.Bar;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A plan for people and for programs. */
final class PlanReport {

  private static final int BAR_WIDTH = 20;

  private PlanReport() {}

  /** What would be made, one line a partition. */
  static List<String> lines(TablePlan plan) {
    SplitPlan split = plan.split();
    List<String> lines = new ArrayList<>();
    lines.add(
        "table "
            + plan.table()
            + ": key "
            + KeyText.formatSchema(plan.key())
            + ", "
            + TableReport.options(plan.meta().options()));
    lines.add(
        Human.count(split.partitions())
            + (split.partitions() == 1 ? " partition, " : " partitions, ")
            + split.how());
    lines.add("");
    lines.addAll(table(split).lines());
    return lines;
  }

  private static TextTable table(SplitPlan split) {
    boolean hasSample = !split.sampled().isEmpty();
    TextTable table =
        hasSample
            ? new TextTable(">#", "FROM", "TO", ">SAMPLED", "SHARE")
            : new TextTable(">#", "FROM", "TO");
    long most = hasSample ? Collections.max(split.sampled()) : 0;
    for (int i = 0; i < split.partitions(); i++) {
      List<String> row = new ArrayList<>();
      row.add(Integer.toString(i + 1));
      row.add(i == 0 ? TableReport.LOWEST : KeyText.format(split.points().get(i - 1)));
      row.add(
          i == split.partitions() - 1
              ? TableReport.HIGHEST
              : KeyText.format(split.points().get(i)));
      if (hasSample) {
        row.add(Human.count(split.sampled().get(i)));
        row.add(Bar.of(split.sampled().get(i), most, BAR_WIDTH));
      }
      table.row(row);
    }
    return table;
  }

  /**
   * The plan as one object.
   *
   * @param outcome {@code planned}, {@code created} or {@code exists}
   */
  static JsonObject json(TablePlan plan, String outcome) {
    JsonObject json = new JsonObject();
    json.addProperty("table", plan.table());
    json.addProperty("outcome", outcome);
    json.add("key", TableReport.key(plan.key()));
    TableReport.addOptions(json, plan.meta().options());
    json.addProperty("split", plan.split().how());
    json.add("partitions", partitions(plan.split()));
    return json;
  }

  private static JsonArray partitions(SplitPlan split) {
    JsonArray partitions = new JsonArray();
    for (int i = 0; i < split.partitions(); i++) {
      JsonObject partition = new JsonObject();
      addPoint(partition, "from", split.points(), i - 1);
      addPoint(partition, "to", split.points(), i);
      if (!split.sampled().isEmpty()) {
        partition.addProperty("sampledKeys", split.sampled().get(i));
      }
      partitions.add(partition);
    }
    return partitions;
  }

  private static void addPoint(
      JsonObject partition, String name, List<PrimaryKeyValue> points, int index) {
    if (index < 0 || index >= points.size()) {
      partition.add(name, JsonNull.INSTANCE);
    } else {
      partition.addProperty(name, KeyText.format(points.get(index)));
    }
  }
}
