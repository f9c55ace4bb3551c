package io.tunnel.it.sim.truth;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The ids that servers gave out, whatever was restored since: each names one thing for ever. */
public final class IdTruth {

  private final Map<String, Set<String>> given = new HashMap<>();

  /** A server gives an id of a kind to a new thing. */
  public void given(String kind, String id) {
    Invariant.IDS_STAY_UNIQUE.require(
        given.computeIfAbsent(kind, any -> new HashSet<>()).add(id),
        "the id of %s %s is given again",
        kind,
        id);
  }
}
