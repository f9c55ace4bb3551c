package io.tunnel.programs.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * A report as one JSON object. A number that is not there is left out, or null where that is a
 * column's way.
 */
public final class ReportJson {

  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

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
    report.grids().forEach(grid -> add(object, grid));
    return GSON.toJson(object);
  }

  private static void add(JsonObject object, Grid grid) {
    if (!object.has(grid.name())) {
      object.add(grid.name(), new JsonArray());
    }
    JsonArray rows = object.getAsJsonArray(grid.name());
    for (int i = 0; i < grid.rows().size(); i++) {
      if (i == rows.size()) {
        rows.add(new JsonObject());
      }
      add(rows.get(i).getAsJsonObject(), grid.columns(), grid.rows().get(i));
    }
  }

  private static void add(JsonObject object, List<Grid.Column> columns, List<Double> row) {
    for (int i = 0; i < row.size(); i++) {
      add(object, columns.get(i), columns.get(i).name(), row.get(i));
    }
  }

  /** The part of a name before its first point is an object, made unless it is there. */
  private static void add(JsonObject object, Grid.Column column, String path, double value) {
    int point = path.indexOf('.');
    if (point >= 0) {
      String owner = path.substring(0, point);
      if (!object.has(owner)) {
        object.add(owner, new JsonObject());
      }
      add(object.getAsJsonObject(owner), column, path.substring(point + 1), value);
      return;
    }
    add(object, path, value);
    if (column.isNullable() && !object.has(path)) {
      object.add(path, JsonNull.INSTANCE);
    }
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
