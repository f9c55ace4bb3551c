package io.tunnel.it.monitoring;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A dashboard of Grafana below {@code deploy/grafana}. */
record Dashboard(String name, JsonObject json) {

  static final List<String> NAMES = List.of("overview", "tunnel", "node", "jvm");

  static Dashboard of(String name) {
    String text = Deployed.text("deploy/grafana/" + name + ".json");
    return new Dashboard(name, JsonParser.parseString(text).getAsJsonObject());
  }

  static List<Dashboard> all() {
    return NAMES.stream().map(Dashboard::of).collect(Collectors.toList());
  }

  /** All panels, without the rows that only have a title. */
  List<JsonObject> panels() {
    return objects(json.getAsJsonArray("panels")).stream()
        .filter(panel -> !panel.get("type").getAsString().equals("row"))
        .toList();
  }

  List<JsonObject> variables() {
    return objects(json.getAsJsonObject("templating").getAsJsonArray("list"));
  }

  static List<JsonObject> objects(JsonArray array) {
    return array.asList().stream().map(JsonElement::getAsJsonObject).toList();
  }

  /** Every query of panels, annotations and variables, without Grafana's own macros. */
  List<String> queries() {
    List<String> queries = new ArrayList<>();
    for (JsonObject panel : panels()) {
      for (JsonObject target : objects(panel.getAsJsonArray("targets"))) {
        queries.add(target.get("expr").getAsString());
      }
    }
    for (JsonObject mark : objects(json.getAsJsonObject("annotations").getAsJsonArray("list"))) {
      if (mark.has("expr")) {
        queries.add(mark.get("expr").getAsString());
      }
    }
    for (JsonObject variable : variables()) {
      if (variable.get("type").getAsString().equals("query")) {
        String values = variable.get("definition").getAsString();
        queries.add(values.replaceFirst("^label_values\\((.*), [a-z]+\\)$", "$1"));
      }
    }
    return queries.stream().map(query -> query.replace("$__rate_interval", "5m")).toList();
  }
}
