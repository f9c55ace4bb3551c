package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The alerts of {@code deploy/prometheus/rules.yml}. */
public record AlertRules(List<Rule> rules) {

  static final String FILE = "deploy/prometheus/rules.yml";

  private static final String RULE = "      - alert: ";
  private static final String MEMBER = "        ";
  private static final String INNER = "          ";

  /**
   * One alert.
   *
   * @param forTime how long the condition holds before the alert fires, such as 2m
   */
  public record Rule(
      String alert,
      String expr,
      String forTime,
      Map<String, String> labels,
      Map<String, String> annotations) {

    /** Copies both maps. */
    public Rule {
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }
  }

  /** Copies the list. */
  public AlertRules {
    rules = List.copyOf(rules);
  }

  /** The alerts that operators get. */
  public static AlertRules shipped() {
    return parse(Deployed.text(FILE));
  }

  /** Reads the form of YAML that the file is written in; any other line is refused. */
  static AlertRules parse(String text) {
    List<Rule> rules = new ArrayList<>();
    Map<String, StringBuilder> members = new LinkedHashMap<>();
    String member = "";
    for (String line : text.lines().toList()) {
      String content = line.strip();
      if (content.isEmpty() || content.startsWith("#")) {
        continue;
      }
      if (line.startsWith("groups:") || line.matches("  - name: [a-z-]+|    rules:")) {
        assertThat(line).doesNotContain("\t");
      } else if (line.startsWith(RULE)) {
        end(members).ifPresent(rules::add);
        members.put("alert", new StringBuilder(line.substring(RULE.length())));
      } else if (line.startsWith(INNER)) {
        members.get(member).append(content).append('\n');
      } else {
        assertThat(line).startsWith(MEMBER).matches(" +[a-z]+:.*");
        member = content.substring(0, content.indexOf(':'));
        String value = content.substring(member.length() + 1).strip();
        assertThat(members.put(member, new StringBuilder(value.equals("|") ? "" : value)))
            .as("a second %s in %s", member, members)
            .isNull();
      }
    }
    end(members).ifPresent(rules::add);
    return new AlertRules(rules);
  }

  private static Optional<Rule> end(Map<String, StringBuilder> members) {
    if (members.isEmpty()) {
      return Optional.empty();
    }
    Rule rule =
        new Rule(
            members.get("alert").toString(),
            members.get("expr").toString().strip(),
            members.getOrDefault("for", new StringBuilder("0s")).toString(),
            map(members.get("labels").toString()),
            map(members.get("annotations").toString()));
    members.clear();
    return Optional.of(rule);
  }

  private static Map<String, String> map(String lines) {
    return lines
        .lines()
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.indexOf(':')),
                line -> line.substring(line.indexOf(':') + 1).strip().replaceAll("^\"|\"$", ""),
                (first, second) -> {
                  throw new AssertionError("two of one name: " + first + ", " + second);
                },
                LinkedHashMap::new));
  }

  /**
   * The same alerts for a test that does not wait: each fires as soon as its condition holds.
   *
   * @param limits by alert, the limit that its condition ends with instead of its own
   */
  public AlertRules atOnce(Map<String, String> limits) {
    List<Rule> quick = new ArrayList<>();
    for (Rule rule : rules) {
      String limit = limits.get(rule.alert());
      String expr =
          limit == null ? rule.expr() : rule.expr().replaceFirst("[0-9][0-9. *]*$", limit);
      quick.add(new Rule(rule.alert(), expr, "0s", rule.labels(), rule.annotations()));
    }
    return new AlertRules(quick);
  }

  /** A file of Prometheus with these alerts. */
  String toFile() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rule rule : rules) {
      all.add(
          Map.of(
              "alert", rule.alert(),
              "expr", rule.expr(),
              "for", rule.forTime(),
              "labels", rule.labels(),
              "annotations", rule.annotations()));
    }
    // JSON is YAML.
    return new Gson().toJson(Map.of("groups", List.of(Map.of("name", "tunnel", "rules", all))));
  }
}
