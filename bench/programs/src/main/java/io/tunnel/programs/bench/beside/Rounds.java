package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of all rounds so far, by test and by the name of the peer. */
public final class Rounds {

  /** Rounds of writes. */
  public static final String WRITE = "write";

  /** Rounds of writes until rows are in a table. */
  public static final String TABLE = "write into a table";

  /** Latencies while rows are written at a rate. */
  public static final String LATENCY_LOADED = "latency under load";

  /** Latencies with a row every 10 ms. */
  public static final String LATENCY_IDLE = "latency idle";

  private final Map<String, Map<String, List<Figures>>> roundsByPeerByTest = new LinkedHashMap<>();

  /** Without any. */
  public Rounds() {}

  /** The test of catch-ups with that look. */
  public static String read(Look look) {
    return "read, " + look.name().toLowerCase(Locale.ROOT);
  }

  /** Adds a round. */
  public void add(String test, String peer, Figures figures) {
    roundsByPeerByTest
        .computeIfAbsent(test, ignored -> new LinkedHashMap<>())
        .computeIfAbsent(peer, ignored -> new ArrayList<>())
        .add(figures);
  }

  /** The tests, in the order in which they were begun. */
  public List<String> tests() {
    return List.copyOf(roundsByPeerByTest.keySet());
  }

  /** The rounds of a test in their order, by the name of the peer; empty when there are none. */
  public Map<String, List<Figures>> byPeer(String test) {
    return Collections.unmodifiableMap(roundsByPeerByTest.getOrDefault(test, Map.of()));
  }

  /** The median of a figure; NaN when that was not measured. */
  public double median(String test, String peer, String figure) {
    List<Figures> rounds = byPeer(test).getOrDefault(peer, List.of());
    return rounds.isEmpty()
        ? Double.NaN
        : Figures.medians(rounds).valuesByName().getOrDefault(figure, Double.NaN);
  }

  /**
   * The median of a peer's figure over that of another; NaN when one of the two was not measured,
   * or the other is 0.
   */
  public double ratio(String test, String figure, String peer, String other) {
    double below = median(test, other, figure);
    return below == 0 ? Double.NaN : median(test, peer, figure) / below;
  }
}
