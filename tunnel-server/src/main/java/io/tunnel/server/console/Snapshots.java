package io.tunnel.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.FigureValue;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Samples the figures of the server, and makes snapshots and the history of them. A sample costs
 * microseconds, but for the tunnels: their threads are asked once in {@value #TUNNELS_EVERY} steps,
 * and for each snapshot. Belongs to one thread, but for {@link #history}.
 */
final class Snapshots {

  /** Tunnels in a snapshot: the worst. */
  static final int TUNNELS_MAX = 100;

  /** Steps of the history between two looks at the tunnels while nobody watches. */
  private static final int TUNNELS_EVERY = 5;

  private static final double MS_PER_SECOND = 1_000;

  private final ConsoleServer server;
  private final LongSupplier epochMs;
  private final Peers peers;
  private final HistoryCore history = new HistoryCore();
  private List<TunnelFigures> tunnels = List.of();
  private int stepsSinceTunnels = TUNNELS_EVERY;
  private Moment ofStep;
  private Moment ofSnapshot;

  /** The history as it was when it was last asked for; the monitor guards it and the history. */
  private Answer historyAnswer = Answer.json(new JsonObject());

  private long historyAnswerEndMs = -1;

  /** The newest step, for other nodes. */
  private volatile Optional<NodeFigures> newest = Optional.empty();

  /** Whether another node has asked since the last step, because a viewer watches there. */
  private volatile boolean wasAsked;

  /** Totals at one moment. */
  private record Moment(long atMs, ServerMeters.Totals totals) {}

  Snapshots(ConsoleServer server, LongSupplier epochMs, Peers peers) {
    this.server = server;
    this.epochMs = epochMs;
    this.peers = peers;
    ofStep = new Moment(epochMs.getAsLong(), server.totals());
    ofSnapshot = ofStep;
  }

  private void lookAtTunnels() {
    server
        .tunnels(TunnelFigures::of)
        .ifPresent(all -> tunnels = all.stream().sorted(TunnelFigures.WORST_FIRST).toList());
    stepsSinceTunnels = 0;
  }

  /** Adds a sample to the history, if the present step has none. Call it once a step at least. */
  void stepIfDue() {
    if (epochMs.getAsLong() / HistoryCore.STEP_MS != ofStep.atMs() / HistoryCore.STEP_MS) {
      step();
    }
  }

  private void step() {
    stepsSinceTunnels++;
    if (wasAsked || stepsSinceTunnels >= TUNNELS_EVERY) {
      wasAsked = false;
      lookAtTunnels();
    }
    Moment now = new Moment(epochMs.getAsLong(), server.totals());
    Map<Figure, Double> figures = figures(ofStep, now);
    ofStep = now;
    synchronized (this) {
      history.add(now.atMs(), figures);
    }
    newest = Optional.of(toSend(now.atMs(), figures));
  }

  private NodeFigures toSend(long atMs, Map<Figure, Double> figures) {
    List<FigureValue> known = new ArrayList<>();
    figures.forEach(
        (figure, value) -> {
          if (Double.isFinite(value)) {
            known.add(new FigureValue(figure.member(), value));
          }
        });
    return new NodeFigures(
        atMs, known, tunnels.stream().limit(TUNNELS_MAX).map(TunnelFigures::toLag).toList());
  }

  /** The newest figures, for a node that asks; empty before the first step. For any thread. */
  Optional<NodeFigures> newest() {
    wasAsked = true;
    return newest;
  }

  private Map<Figure, Double> figures(Moment before, Moment now) {
    double seconds = (now.atMs() - before.atMs()) / MS_PER_SECOND;
    ServerMeters.Totals from = before.totals();
    ServerMeters.Totals to = now.totals();
    DeliveryAges.Counts ages = to.ages();
    ConsoleServer.Taken taken = server.taken();
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.WRITTEN_ROWS, rate(to.writtenRows() - from.writtenRows(), seconds));
    figures.put(Figure.WRITTEN_BYTES, rate(to.writtenBytes() - from.writtenBytes(), seconds));
    figures.put(
        Figure.DELIVERED_ROWS, rate((double) to.deliveredRows() - from.deliveredRows(), seconds));
    figures.put(
        Figure.DELIVERED_BYTES,
        rate((double) to.deliveredBytes() - from.deliveredBytes(), seconds));
    figures.put(
        Figure.COMMIT_TO_DELIVERY_P50_MS, ages.percentileMs(from.ages(), 0.5).orElse(Double.NaN));
    figures.put(
        Figure.COMMIT_TO_DELIVERY_P99_MS, ages.percentileMs(from.ages(), 0.99).orElse(Double.NaN));
    figures.put(Figure.LAG_SECONDS_MAX, max(TunnelFigures::lagSeconds));
    figures.put(
        Figure.LAG_CHANGES_MAX, max(one -> one.lagChanges() < 0 ? Double.NaN : one.lagChanges()));
    figures.put(Figure.HISTORY_LEFT_SECONDS, -max(one -> -one.historyLeftSeconds()));
    figures.put(Figure.SESSIONS, tunnels.stream().mapToDouble(TunnelFigures::sessions).sum());
    figures.put(Figure.CONNECTIONS, taken.connections());
    figures.put(Figure.DISK_FREE_BYTES, taken.diskFreeBytes());
    figures.put(Figure.DISK_USED_BYTES, taken.diskUsedBytes());
    figures.put(Figure.HEAP_USED_BYTES, taken.heapUsedBytes());
    figures.put(Figure.HEAP_MAX_BYTES, taken.heapMaxBytes());
    figures.put(Figure.RESIDENT_BYTES, taken.residentBytes());
    figures.put(Figure.CPU_SHARE, taken.cpuShare());
    return figures;
  }

  /** NaN when no time passed, or the clock went back. */
  private static double rate(double more, double seconds) {
    return seconds > 0 ? more / seconds : Double.NaN;
  }

  private double max(ToDoubleFunction<TunnelFigures> figure) {
    return tunnels.stream().mapToDouble(figure).filter(Double::isFinite).max().orElse(Double.NaN);
  }

  /**
   * The server now, as JSON, with what other nodes have answered.
   *
   * @param who a principal that watches; the other nodes are asked for it
   */
  byte[] snapshot(OnBehalf who) {
    lookAtTunnels();
    Moment now = new Moment(epochMs.getAsLong(), server.totals());
    Map<Figure, Double> own = figures(ofSnapshot, now);
    ofSnapshot = now;
    Optional<ClusterDescription> cluster = server.cluster();
    cluster.ifPresent(known -> peers.ask(known, who));
    List<NodeFigures> others = cluster.map(peers::fresh).orElse(List.of());
    List<TunnelFigures> worst =
        Stream.concat(
                tunnels.stream().limit(TUNNELS_MAX),
                others.stream().flatMap(one -> one.tunnels().stream()).map(TunnelFigures::of))
            .sorted(TunnelFigures.WORST_FIRST)
            .limit(TUNNELS_MAX)
            .toList();
    JsonObject figures = new JsonObject();
    JsonObject all = new JsonObject();
    own.forEach(
        (figure, value) -> {
          add(figures, figure.member(), value);
          List<Double> values = new ArrayList<>(List.of(value));
          others.forEach(one -> values.add(Peers.value(one, figure)));
          add(all, figure.member(), figure.ofNodes(values));
        });
    addWorst(figures, tunnels);
    addWorst(all, worst);
    JsonArray listed = new JsonArray();
    worst.forEach(one -> listed.add(one.toJson()));
    JsonObject snapshot = new JsonObject();
    snapshot.addProperty("atMs", now.atMs());
    snapshot.addProperty("node", server.node().orElse(null));
    snapshot.add("health", JsonParser.parseString(server.health()));
    snapshot.add("figures", figures);
    snapshot.add("all", all);
    snapshot.add(
        "nodes",
        cluster.map(known -> peers.toJson(known, figures, now.atMs())).orElse(new JsonArray()));
    snapshot.add("tunnels", listed);
    return snapshot.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void addWorst(JsonObject to, List<TunnelFigures> worstFirst) {
    to.addProperty(
        "worstTunnel",
        worstFirst.isEmpty() ? null : worstFirst.get(0).table() + "/" + worstFirst.get(0).tunnel());
  }

  /** The rates of the next snapshot begin now: nobody has watched since the last one. */
  void begin() {
    ofSnapshot = new Moment(epochMs.getAsLong(), server.totals());
    peers.begin();
  }

  /** The figures of the last hour, encoded at most once a step. For any thread. */
  synchronized Answer history() {
    if (historyAnswerEndMs != history.endMs()) {
      JsonObject series = new JsonObject();
      for (Figure figure : Figure.values()) {
        JsonArray values = new JsonArray();
        for (double value : history.series(figure)) {
          values.add(number(value));
        }
        series.add(figure.member(), values);
      }
      JsonObject json = new JsonObject();
      json.addProperty("stepMs", HistoryCore.STEP_MS);
      json.addProperty("endMs", history.endMs());
      json.add("series", series);
      historyAnswer = Answer.json(json);
      historyAnswerEndMs = history.endMs();
    }
    return historyAnswer;
  }

  /** Adds a number, or null for one that is not known. */
  static void add(JsonObject to, String name, double value) {
    to.add(name, number(value));
  }

  private static JsonElement number(double value) {
    return Double.isFinite(value) ? new JsonPrimitive(rounded(value)) : JsonNull.INSTANCE;
  }

  /** With three digits behind the point, and none for a whole number: fewer bytes. */
  private static Number rounded(double value) {
    double thousandths = Math.rint(value * 1_000) / 1_000;
    return thousandths == Math.rint(thousandths) ? (Number) (long) thousandths : thousandths;
  }
}
