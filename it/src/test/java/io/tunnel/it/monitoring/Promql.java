package io.tunnel.it.monitoring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names in a query of Prometheus. Reads as much of the language as the queries of this
 * repository use; {@code promtool} parses all of it.
 *
 * @param selectors what the query reads
 * @param grouping labels of {@code by} and {@code without}
 */
record Promql(List<Selector> selectors, Set<String> grouping) {

  private static final Pattern TOKEN =
      Pattern.compile("\"[^\"]*\"|[0-9][0-9a-z.]*|[a-zA-Z_][a-zA-Z0-9_:]*|\\S");
  private static final Set<String> OPERATORS =
      Set.of("and", "or", "unless", "bool", "offset", "NaN", "Inf");
  private static final Set<String> BEHIND_FUNCTIONS = Set.of("(", "by", "without");
  private static final Set<String> GROUPINGS =
      Set.of("by", "without", "on", "ignoring", "group_left", "group_right");

  /**
   * One metric that is read.
   *
   * @param labels that the query compares
   */
  record Selector(String metric, Set<String> labels) {
    Selector {
      labels = Set.copyOf(labels);
    }
  }

  Promql {
    selectors = List.copyOf(selectors);
    grouping = Set.copyOf(grouping);
  }

  /** Reads a query in which no variable of Grafana stands outside of a string. */
  static Promql of(String query) {
    List<String> tokens = new ArrayList<>();
    for (Matcher token = TOKEN.matcher(query); token.find(); ) {
      tokens.add(token.group());
    }
    List<Selector> selectors = new ArrayList<>();
    Set<String> grouping = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      String next = i + 1 < tokens.size() ? tokens.get(i + 1) : "";
      if (token.equals("$")) {
        throw new AssertionError("a variable outside of a string in: " + query);
      }
      if (token.equals("[")) {
        i = end(tokens, i, "]");
      } else if (GROUPINGS.contains(token)) {
        int end = end(tokens, i, ")");
        grouping.addAll(labels(tokens.subList(i + 1, end)));
        i = end;
      } else if (isName(token) && !OPERATORS.contains(token) && !BEHIND_FUNCTIONS.contains(next)) {
        int end = next.equals("{") ? end(tokens, i, "}") : i;
        selectors.add(new Selector(token, labels(tokens.subList(Math.min(i + 1, end), end))));
        i = end;
      }
    }
    return new Promql(selectors, grouping);
  }

  private static int end(List<String> tokens, int from, String bracket) {
    int length = tokens.subList(from, tokens.size()).indexOf(bracket);
    if (length < 0) {
      throw new AssertionError("no " + bracket + " in " + tokens.subList(from, tokens.size()));
    }
    return from + length;
  }

  private static boolean isName(String token) {
    return token.matches("[a-zA-Z_][a-zA-Z0-9_:]*");
  }

  private static Set<String> labels(List<String> tokens) {
    Set<String> labels = new TreeSet<>(tokens);
    labels.removeIf(token -> !isName(token));
    return labels;
  }
}
