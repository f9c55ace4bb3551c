package io.tunnel.bench.flink;

import com.google.gson.Gson;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of all rounds, by what was tested and who was: tables for people, and JSON. */
public final class Findings {

  private final String baseline;
  private final Map<String, Map<String, List<Map<String, Double>>>> roundsBySubjectByTest =
      new LinkedHashMap<>();

  /** Medians are also shown as multiples of those of {@code baseline}. */
  Findings(String baseline) {
    this.baseline = baseline;
  }

  public void add(String test, String subject, Map<String, Double> figures) {
    roundsBySubjectByTest
        .computeIfAbsent(test, ignored -> new LinkedHashMap<>())
        .computeIfAbsent(subject, ignored -> new ArrayList<>())
        .add(new LinkedHashMap<>(figures));
  }

  /** A table of each test: medians, the lowest and highest rounds, ratios. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    roundsBySubjectByTest.forEach(
        (test, roundsBySubject) -> {
          lines.add("");
          lines.add(test);
          lines.addAll(table(roundsBySubject).lines());
        });
    return lines;
  }

  private TextTable table(Map<String, List<Map<String, Double>>> roundsBySubject) {
    List<String> names = List.copyOf(roundsBySubject.values().iterator().next().get(0).keySet());
    List<String> headings = new ArrayList<>(List.of("", "n", ""));
    names.forEach(name -> headings.add(">" + name));
    TextTable table = new TextTable(headings);
    Map<String, Map<String, Spread>> spreads = new LinkedHashMap<>();
    roundsBySubject.forEach((subject, rounds) -> spreads.put(subject, spreads(rounds)));
    spreads.forEach(
        (subject, byName) -> {
          String rounds = Integer.toString(roundsBySubject.get(subject).size());
          List<List<String>> rows = new ArrayList<>();
          rows.add(new ArrayList<>(List.of(subject, rounds, "median")));
          rows.add(new ArrayList<>(List.of("", "", "lowest")));
          rows.add(new ArrayList<>(List.of("", "", "highest")));
          for (String name : names) {
            rows.get(0).add(text(byName.get(name).median()));
            rows.get(1).add(text(byName.get(name).lowest()));
            rows.get(2).add(text(byName.get(name).highest()));
          }
          rows.forEach(table::row);
        });
    spreads.forEach(
        (subject, byName) -> {
          if (spreads.containsKey(baseline) && !subject.equals(baseline)) {
            table.row(ratios(subject, names, byName, spreads.get(baseline)));
          }
        });
    return table;
  }

  private List<String> ratios(
      String subject, List<String> names, Map<String, Spread> byName, Map<String, Spread> base) {
    List<String> cells = new ArrayList<>(List.of(subject, "", "/ " + baseline));
    for (String name : names) {
      double to = base.get(name).median();
      cells.add(
          to == 0 ? "-" : String.format(Locale.ROOT, "%.2fx", byName.get(name).median() / to));
    }
    return cells;
  }

  private static Map<String, Spread> spreads(List<Map<String, Double>> rounds) {
    Map<String, Spread> spreads = new LinkedHashMap<>();
    for (String name : rounds.get(0).keySet()) {
      spreads.put(name, Spread.of(rounds.stream().map(round -> round.get(name)).toList()));
    }
    return spreads;
  }

  private static Map<String, Double> medians(List<Map<String, Double>> rounds) {
    Map<String, Double> medians = new LinkedHashMap<>();
    spreads(rounds).forEach((name, spread) -> medians.put(name, spread.median()));
    return medians;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : "%.1f", value);
  }

  /** One line: settings, and of each test and subject all rounds and their medians. */
  String json(Map<String, Object> settings) {
    Map<String, Object> tests = new LinkedHashMap<>();
    roundsBySubjectByTest.forEach(
        (test, roundsBySubject) -> {
          Map<String, Object> subjects = new LinkedHashMap<>();
          roundsBySubject.forEach(
              (subject, rounds) ->
                  subjects.put(subject, Map.of("rounds", rounds, "median", medians(rounds))));
          tests.put(test, subjects);
        });
    return new Gson().toJson(Map.of("settings", settings, "tests", tests));
  }
}
