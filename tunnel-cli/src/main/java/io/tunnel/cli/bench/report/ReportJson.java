package io.tunnel.cli.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/** A report as one JSON object. A number that is not there is left out. */
public final class ReportJson {

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** Digits behind the point that a measurement can mean. */
  private static final double FRACTION = 1e6;

  private ReportJson() {}

  /** On one line: figures are members, grids are arrays of objects. */
  public static String line(Report report, Machine machine) {
    JsonObject object = new JsonObject();
    object.addProperty("bench", report.bench());
    object.add("machine", GSON.toJsonTree(machine));
    object.add("settings", GSON.toJsonTree(report.sortedSettings()));
    report.figures().forEach(each -> add(object, each.name(), each.value()));
    for (Grid grid : report.grids()) {
      JsonArray rows = new JsonArray();
      grid.rows().forEach(row -> rows.add(row(grid.columns(), row)));
      object.add(grid.name(), rows);
    }
    return GSON.toJson(object);
  }

  private static JsonObject row(List<Grid.Column> columns, List<Double> row) {
    JsonObject object = new JsonObject();
    for (int i = 0; i < row.size(); i++) {
      add(object, columns.get(i).name(), row.get(i));
    }
    return object;
  }

  private static void add(JsonObject object, String name, double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return;
    }
    if (value == Math.rint(value)) {
      object.addProperty(name, (long) value);
    } else {
      object.addProperty(name, Math.rint(value * FRACTION) / FRACTION);
    }
  }
}
