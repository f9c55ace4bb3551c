package io.tunnel.programs.bench.beside;

import com.google.gson.Gson;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints a table when a test is done, and everything as JSON at the end. */
public final class RoundsReport {

  private final String baseline;
  private final PrintWriter out;

  /** Ratios are to the peer called {@code baseline}. */
  public RoundsReport(String baseline, PrintWriter out) {
    this.baseline = baseline;
    this.out = out;
  }

  /** Prints the rounds of a test, their medians, and these as multiples of the baseline's. */
  public void print(String test, Rounds rounds) {
    Map<String, List<Figures>> byPeer = rounds.byPeer(test);
    List<String> names = byPeer.values().iterator().next().get(0).names();
    List<String> headings = new ArrayList<>(List.of("peer", "round"));
    names.forEach(name -> headings.add(">" + name));
    TextTable table = new TextTable(headings);
    byPeer.forEach(
        (peer, each) -> {
          for (int i = 0; i < each.size(); i++) {
            table.row(cells(peer, String.valueOf(i + 1), each.get(i)));
          }
        });
    byPeer.forEach((peer, each) -> table.row(cells(peer, "median", Figures.medians(each))));
    byPeer.keySet().stream()
        .filter(peer -> !peer.equals(baseline) && byPeer.containsKey(baseline))
        .forEach(peer -> table.row(ratios(test, rounds, peer, names)));
    out.println();
    out.println(test);
    table.lines().forEach(out::println);
    out.flush();
  }

  private List<String> ratios(String test, Rounds rounds, String peer, List<String> names) {
    List<String> cells = new ArrayList<>(List.of(peer, "/ " + baseline));
    for (String name : names) {
      double ratio = rounds.ratio(test, name, peer, baseline);
      cells.add(Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.2fx", ratio));
    }
    return cells;
  }

  private static List<String> cells(String peer, String round, Figures figures) {
    List<String> cells = new ArrayList<>(List.of(peer, round));
    figures.valuesByName().values().forEach(value -> cells.add(text(value)));
    return cells;
  }

  private static String text(double value) {
    return Double.isNaN(value)
        ? "-"
        : String.format(Locale.ROOT, value >= 1_000 ? "%,.0f" : "%.3f", value);
  }

  /** One line: settings, and per test and peer the figures of each round and their medians. */
  public void printJson(Map<String, Object> settings, Rounds rounds) {
    Map<String, Object> tests = new LinkedHashMap<>();
    for (String test : rounds.tests()) {
      Map<String, Object> peers = new LinkedHashMap<>();
      rounds
          .byPeer(test)
          .forEach(
              (peer, each) ->
                  peers.put(
                      peer,
                      Map.of(
                          "rounds", each.stream().map(RoundsReport::numbers).toList(),
                          "median", numbers(Figures.medians(each)))));
      tests.put(test, peers);
    }
    out.println();
    out.println(new Gson().toJson(Map.of("settings", settings, "tests", tests)));
    out.flush();
  }

  /** JSON has no number for what is not there. */
  private static Map<String, Double> numbers(Figures figures) {
    Map<String, Double> numbers = new LinkedHashMap<>(figures.valuesByName());
    numbers.values().removeIf(value -> value.isNaN());
    return numbers;
  }
}
