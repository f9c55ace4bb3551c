package io.tunnel.bench.peers;

import com.google.gson.Gson;
import io.tunnel.cli.bench.peer.Figures;
import io.tunnel.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All rounds so far; prints a table when a test is done, and everything as JSON at the end. */
final class Results {

  private final String baseline;
  private final PrintWriter out;
  private final Map<String, Map<String, List<Figures>>> roundsByPeerByTest = new LinkedHashMap<>();

  /** Ratios are to the peer called {@code baseline}. */
  Results(String baseline, PrintWriter out) {
    this.baseline = baseline;
    this.out = out;
  }

  void add(String test, String peer, Figures figures) {
    roundsByPeerByTest
        .computeIfAbsent(test, ignored -> new LinkedHashMap<>())
        .computeIfAbsent(peer, ignored -> new ArrayList<>())
        .add(figures);
  }

  /** The median of a figure, when that was measured. */
  Optional<Double> median(String test, String peer, String figure) {
    return Optional.ofNullable(roundsByPeerByTest.get(test))
        .map(byPeer -> byPeer.get(peer))
        .map(rounds -> Figures.medians(rounds).get(figure));
  }

  /** Prints the rounds of a test, their medians, and these as multiples of the baseline's. */
  void print(String test) {
    Map<String, List<Figures>> roundsByPeer = roundsByPeerByTest.get(test);
    List<String> names = roundsByPeer.values().iterator().next().get(0).names();
    List<String> headings = new ArrayList<>(List.of("peer", "round"));
    names.forEach(name -> headings.add(">" + name));
    TextTable table = new TextTable(headings);
    roundsByPeer.forEach(
        (peer, rounds) -> {
          for (int i = 0; i < rounds.size(); i++) {
            table.row(cells(peer, String.valueOf(i + 1), rounds.get(i)));
          }
        });
    roundsByPeer.forEach(
        (peer, rounds) -> table.row(cells(peer, "median", Figures.medians(rounds))));
    Optional.ofNullable(roundsByPeer.get(baseline))
        .map(Figures::medians)
        .ifPresent(base -> addRatios(table, base, roundsByPeer));
    out.println();
    out.println(test);
    table.lines().forEach(out::println);
    out.flush();
  }

  private void addRatios(TextTable table, Figures base, Map<String, List<Figures>> roundsByPeer) {
    roundsByPeer.forEach(
        (peer, rounds) -> {
          if (!peer.equals(baseline)) {
            Figures medians = Figures.medians(rounds);
            List<String> cells = new ArrayList<>(List.of(peer, "/ " + baseline));
            base.names()
                .forEach(
                    name ->
                        cells.add(
                            base.get(name) == 0
                                ? "-"
                                : String.format(
                                    Locale.ROOT, "%.2fx", medians.get(name) / base.get(name))));
            table.row(cells);
          }
        });
  }

  private static List<String> cells(String peer, String round, Figures figures) {
    List<String> cells = new ArrayList<>(List.of(peer, round));
    figures.valuesByName().values().forEach(value -> cells.add(text(value)));
    return cells;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value >= 1_000 ? "%,.0f" : "%.3f", value);
  }

  /** One line: settings, and per test and peer the figures of each round and their medians. */
  void printJson(Map<String, Object> settings) {
    Map<String, Object> tests = new LinkedHashMap<>();
    roundsByPeerByTest.forEach(
        (test, byPeer) -> {
          Map<String, Object> peers = new LinkedHashMap<>();
          byPeer.forEach(
              (peer, rounds) ->
                  peers.put(
                      peer,
                      Map.of(
                          "rounds", rounds.stream().map(Figures::valuesByName).toList(),
                          "median", Figures.medians(rounds).valuesByName())));
          tests.put(test, peers);
        });
    out.println();
    out.println(new Gson().toJson(Map.of("settings", settings, "tests", tests)));
    out.flush();
  }
}
