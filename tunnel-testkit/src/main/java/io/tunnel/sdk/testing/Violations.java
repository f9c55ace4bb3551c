package io.tunnel.sdk.testing;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The violations of rules by clients. */
final class Violations {

  private final Set<Rule> enforced = EnumSet.allOf(Rule.class);
  private final List<String> found = new ArrayList<>();

  void forgive(List<Rule> rules) {
    enforced.removeAll(rules.isEmpty() ? List.of(Rule.values()) : rules);
  }

  void add(Rule rule, String what) {
    if (enforced.contains(rule)) {
      found.add(rule + ": " + what);
    }
  }

  List<String> all() {
    return List.copyOf(found);
  }

  /** The violations since the last call. */
  List<String> take() {
    List<String> taken = all();
    found.clear();
    return taken;
  }
}
