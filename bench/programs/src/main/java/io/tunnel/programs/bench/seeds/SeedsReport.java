package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.seeds.Workload.Audience;
import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.Workload.Parties;
import io.tunnel.terminal.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What {@code bench seeds} tells: for each operation our figures, the peer's, the published. */
final class SeedsReport {

  private static final String CLIENTS = "clients";
  private static final String SENDERS = "senders";
  private static final String BYTES = "bytes";
  private static final String PEER = "peer";
  private static final String PUBLISHED = "published";

  private static final List<String> QUEUES =
      List.of(
          "Queues: a load is a process of its own with a heap of "
              + LoadSide.HEAP_MIB
              + " MiB. Every message was received as often as it had to be,"
              + " none twice, and those of a sender in order.",
          "Queues: senders of messages that are neither persistent nor transacted do not wait for"
              + " answers on either side, and all others do. Persistent messages are synced before"
              + " the answer, but not by a broker that has no durable subscription for them.");

  private static final List<String> PATHS =
      List.of(
          "Paths: a load is a process of its own, with a connection and one open"
              + " request for each publisher. Rates and times of notify and notifyRead are those of"
              + " events, from the beginning of the creation to a subscriber. Every subscriber heard"
              + " of each path once and in order, and every request was applied.",
          "Paths on one server: rows are bound to the session of their publisher, durability FSYNC."
              + " Paths on several servers: a cluster on one Kafka broker has no bound rows, so rows"
              + " are plain ones, and the broker keeps one copy.",
          "Paths: the load on this service has two threads for all connections; the peer's client"
              + " has threads for each connection.");
  private static final String ACCESS =
      "Access paths: an operation opens a connection, puts a row, gets the row and closes the"
          + " connection. A server in process shares a JVM with its clients, which connect over"
          + " loopback as to any server; resident memory is then that of both.";

  private static final String CLUSTERS =
      "Several servers: the nodes of this service share one Kafka broker, which has the only copy of"
          + " the log and syncs it before it answers; a majority of etcd's members has synced a"
          + " copy each. Resident memory is that of a server on average, and without the broker's.";

  private SeedsReport() {}

  /** The report of a run that started servers. */
  static Report of(SeedsCommand.Plan plan, List<SeedsResult> results) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("scale", String.valueOf(plan.scale()));
    settings.put("minutesMax", String.valueOf(plan.minutesMax()));
    settings.put(PEER, plan.hasPeers() ? "auto" : "none");
    settings.put("threadsOfClients", String.valueOf(ClosedLoop.THREADS));
    List<String> remarks = new ArrayList<>();
    if (plan.scale() < 1) {
      remarks.add(
          "Scale "
              + plan.scale()
              + ": clients, requests, rows and seconds are that share of the document's. Published"
              + " figures are those of the whole load.");
    }
    for (SeedsResult result : results) {
      settings.put(result.workload().seed(), settings(plan, result.workload()));
      remarks.addAll(remarks(result));
    }
    remarks.add("Clients and servers share this machine.");
    remarks.addAll(remarks(results));
    if (results.stream().anyMatch(each -> each.workload().kind() == Kind.ACCESS)) {
      remarks.add(ACCESS);
    }
    if (results.stream().flatMap(each -> each.rows().stream()).anyMatch(SeedsReport::hasCluster)) {
      remarks.add(CLUSTERS);
    }
    return report(
        "seeds",
        "bench seeds: published load tests, on this service and beside",
        settings,
        results,
        remarks);
  }

  /**
   * The report of a run on a server of the user.
   *
   * @param server where it is, and who asked
   */
  static Report ofServer(String server, SeedsResult result) {
    List<String> remarks = new ArrayList<>(remarks(result));
    remarks.addAll(remarks(List.of(result)));
    remarks.add("Event loops, heap and limits of the server are those that it was started with.");
    return report(
        "stress",
        "stress: " + result.workload().title(),
        Map.of("server", server, "threadsOfClients", String.valueOf(ClosedLoop.THREADS)),
        List.of(result),
        remarks);
  }

  private static List<String> remarks(SeedsResult result) {
    String seed = result.workload().seed();
    List<String> remarks = new ArrayList<>();
    result
        .workload()
        .publishedOn()
        .ifPresent(where -> remarks.add("Seed " + seed + " was published on: " + where + "."));
    remarks.addAll(result.remarks());
    if (result.leftOut() > 0) {
      remarks.add(
          "Seed "
              + seed
              + ": "
              + result.leftOut()
              + " cases were left out, because --minutes-max was over.");
    }
    return remarks;
  }

  /** What people have to know of the kinds of workloads. */
  private static List<String> remarks(List<SeedsResult> results) {
    Set<Kind> kinds =
        results.stream().map(each -> each.workload().kind()).collect(Collectors.toSet());
    List<String> remarks = new ArrayList<>();
    if (kinds.contains(Kind.PUBLISH)) {
      remarks.addAll(PATHS);
    }
    if (!Set.of(Kind.QUEUE).containsAll(kinds)) {
      remarks.add("Except of queues and paths, a client has one connection and one open request.");
    }
    if (kinds.contains(Kind.QUEUE)) {
      remarks.addAll(QUEUES);
    }
    return remarks;
  }

  private static Report report(
      String bench,
      String title,
      Map<String, String> settings,
      List<SeedsResult> results,
      List<String> remarks) {
    List<Grid> grids = new ArrayList<>();
    List<Plot> plots = new ArrayList<>();
    for (SeedsResult result : results) {
      Workload workload = result.workload();
      for (String operation : workload.operations()) {
        List<SeedRow> rows = result.rows(operation);
        if (!rows.isEmpty()) {
          grids.addAll(grids(result, operation, rows));
          plots.addAll(plots(result, operation, rows));
        }
      }
      if (workload.kind() == Kind.ACCESS) {
        plots.addAll(pathPlots(result));
      }
    }
    return new Report(bench, title, settings, List.of(), grids, plots, remarks);
  }

  private static boolean hasCluster(SeedRow row) {
    return row.load().servers() > 1;
  }

  private static int connectionsOfAddress(SeedsCommand.Plan plan, Workload workload) {
    int connections = workload.connectionsMax(plan.scale());
    return switch (workload.kind()) {
      case ACCESS -> AccessSide.CONNECTIONS_MAX;
      case PUBLISH -> PublishLoads.connectionsOfAddress(connections);
      case ECHO, REGISTRY, QUEUE, MIX -> connections;
    };
  }

  private static String settings(SeedsCommand.Plan plan, Workload workload) {
    Workload.Times times = workload.times().scaled(plan.scale());
    String threads =
        workload.threads().isEmpty() ? "net.threads default" : "net.threads as in the rows";
    String limit =
        ", net.limits.connectionsPerAddressMax "
            + (connectionsOfAddress(plan, workload) + OwnServer.SPARE_CONNECTIONS)
            + " at most, default heap";
    return switch (workload.kind()) {
      case ECHO -> threads + limit + ", " + times.measured() + " s an operation";
      case ACCESS ->
          threads
              + limit
              + ", durability OS, 1 partition, a key for TLS, "
              + times.measured()
              + " s a path";
      case REGISTRY ->
          threads
              + limit
              + ", durability FSYNC, 1 partition, "
              + times.warmUp()
              + " s of warm-up; several servers: 1 partition and 512 MiB of heap a node, 1 Kafka"
              + " broker, which syncs each append";
      case MIX ->
          threads
              + limit
              + ", durability FSYNC, 1 partition, "
              + times.measured()
              + " s an operation; requests of an operation: "
              + MixLoads.words(workload);
      case PUBLISH -> {
        int partitions =
            workload.loads().stream()
                .map(load -> load.scaled(plan.scale()))
                .mapToInt(PublishLoads::partitions)
                .max()
                .orElse(1);
        yield threads
            + limit
            + (partitions > 1 ? ", log.shards up to " + partitions + " on one server" : "")
            + ", durability FSYNC, up to "
            + Math.max(partitions, maxServers(workload))
            + " partitions, lease 30 s, "
            + times.warmUp()
            + " s of warm-up, and "
            + times.measured()
            + " s an operation without subscribers";
      }
      case QUEUE ->
          threads
              + limit
              + ", durability OS or FSYNC, a partition for each receiver of a queue, "
              + times.warmUp()
              + " s of warm-up and "
              + times.measured()
              + " s an operation";
    };
  }

  private static int maxServers(Workload workload) {
    return workload.loads().stream().mapToInt(Load::servers).max().orElse(1);
  }

  /** The name of the array with the cases of an operation. */
  static String array(Workload workload, String operation) {
    return "seed"
        + workload.seed()
        + operation.substring(0, 1).toUpperCase(Locale.ROOT)
        + operation.substring(1);
  }

  /** Grids of a name, which stand in an array of the JSON. */
  private static List<Grid> grids(SeedsResult result, String operation, List<SeedRow> rows) {
    Workload workload = result.workload();
    String name = array(workload, operation);
    String title = workload.seed() + ", " + operation + ": ";
    List<Grid> grids = new ArrayList<>();
    // Not every operation has every figure.
    List<Figure> measured =
        workload.columns().stream()
            .filter(figure -> rows.stream().anyMatch(row -> row.ours().containsKey(figure)))
            .toList();
    grids.add(grid(name, title + "this service", rows, "", measured, SeedRow::ours));
    if (rows.stream().anyMatch(row -> row.peer().isPresent())) {
      grids.add(
          grid(
              name,
              title + result.peer(),
              rows,
              PEER + ".",
              measured,
              row -> row.peer().orElse(Map.of())));
    }
    List<Figure> published =
        Arrays.stream(Figure.values())
            .filter(figure -> rows.stream().anyMatch(row -> row.published().containsKey(figure)))
            .toList();
    if (!published.isEmpty()) {
      grids.add(
          grid(name, title + PUBLISHED, rows, PUBLISHED + ".", published, SeedRow::published));
    }
    return grids;
  }

  @FunctionalInterface
  private interface Figures {
    Map<Figure, Double> of(SeedRow row);
  }

  private static Grid grid(
      String name,
      String title,
      List<SeedRow> rows,
      String prefix,
      List<Figure> figures,
      Figures of) {
    List<Grid.Column> columns = new ArrayList<>();
    for (LoadColumn each : loadColumns(rows.get(0))) {
      columns.add(new Grid.Column(each.name(), each.label()));
    }
    figures.forEach(each -> columns.add(new Grid.Column(prefix + each.column(), each.label())));
    List<List<Double>> cells = new ArrayList<>();
    for (SeedRow row : rows) {
      List<Double> line = new ArrayList<>();
      loadColumns(row).forEach(each -> line.add((double) each.value()));
      figures.forEach(each -> line.add(of.of(row).getOrDefault(each, Double.NaN)));
      cells.add(line);
    }
    return new Grid(name, title, columns, cells);
  }

  /** What a row says of its load. */
  private record LoadColumn(String name, String label, int value) {}

  private static List<LoadColumn> loadColumns(SeedRow row) {
    Load load = row.load();
    if (load.parties().isPresent()) {
      Parties parties = load.parties().get();
      return List.of(
          new LoadColumn(SENDERS, SENDERS, load.clients()),
          new LoadColumn("receivers", "receivers", parties.receivers()),
          new LoadColumn("connections", "connections", parties.connections()),
          parties.isTopic()
              ? new LoadColumn("topics", "topics", parties.destinations())
              : new LoadColumn("queues", "queues", parties.destinations()),
          new LoadColumn(BYTES, BYTES, load.bytes()));
    }
    if (load.audience().isPresent()) {
      Audience audience = load.audience().get();
      return List.of(
          new LoadColumn(WorkloadFile.SERVERS, "servers", load.servers()),
          new LoadColumn(PublishLoads.PUBLISHERS, "publishers", load.clients()),
          new LoadColumn("subscribers", "subscribers", load.clients() * audience.subscribers()),
          new LoadColumn("paths", "paths", (int) load.rows()),
          new LoadColumn(BYTES, BYTES, load.bytes()));
    }
    if (load.rowsBefore().isPresent()) {
      return List.of(
          new LoadColumn(CLIENTS, CLIENTS, load.clients()),
          new LoadColumn(BYTES, BYTES, load.bytes()),
          new LoadColumn(MixLoads.ROWS_BEFORE, "rows before", load.rowsBefore().get()));
    }
    if (load.requests() == 0 && row.threads().isEmpty()) {
      return List.of(
          new LoadColumn(CLIENTS, CLIENTS, load.clients()),
          new LoadColumn(BYTES, BYTES, load.bytes()));
    }
    List<LoadColumn> columns =
        new ArrayList<>(
            List.of(
                new LoadColumn(CLIENTS, CLIENTS, load.clients()),
                new LoadColumn(BYTES, BYTES, load.bytes()),
                row.threads()
                    .map(count -> new LoadColumn("threads", "server threads", count))
                    .orElse(new LoadColumn("requests", "requests", load.requests()))));
    if (load.requests() > 0) {
      columns.add(new LoadColumn("servers", "servers", load.servers()));
    }
    return columns;
  }

  private static List<Plot> plots(SeedsResult result, String operation, List<SeedRow> rows) {
    String file = "seed" + result.workload().seed() + "-" + operation;
    String title = result.workload().seed() + ", " + operation;
    if (result.workload().kind() == Kind.ACCESS) {
      return List.of();
    }
    if (result.workload().kind() == Kind.QUEUE) {
      // One size of messages: rates of several sizes lie too far apart.
      int bytes = rows.get(0).load().bytes();
      List<SeedRow> alike = rows.stream().filter(row -> row.load().bytes() == bytes).toList();
      return List.of(
          plot(
              file + "-rate",
              title + ", " + bytes + " bytes: received a second",
              Figure.RECEIVED_PER_SECOND,
              result,
              alike));
    }
    return List.of(
        plot(file + "-rate", title + ": answers a second", Figure.PER_SECOND, result, rows),
        plot(file + "-time", title + ": average time", Figure.AVERAGE_MS, result, rows));
  }

  /** All paths on one chart. */
  private static List<Plot> pathPlots(SeedsResult result) {
    String seed = result.workload().seed();
    String file = "seed" + seed + "-paths";
    return List.of(
        pathPlot(file + "-rate", seed + ": operations a second", Figure.PER_SECOND, result),
        pathPlot(file + "-time", seed + ": average time", Figure.AVERAGE_MS, result));
  }

  private static Plot pathPlot(String file, String title, Figure figure, SeedsResult result) {
    List<Plot.Curve> curves = new ArrayList<>();
    for (String path : result.workload().operations()) {
      List<SeedRow> rows = result.rows(path);
      curves.add(new Plot.Curve(path, false, points(rows, SeedRow::ours, figure)));
      curves.add(
          new Plot.Curve(path + ", " + PUBLISHED, false, points(rows, SeedRow::published, figure)));
    }
    return Plot.of(file, title, Axis.logarithmic(CLIENTS), Axis.linear(figure.label()), curves);
  }

  private static List<Plot.Point> points(List<SeedRow> rows, Figures figures, Figure figure) {
    return rows.stream()
        .filter(row -> figures.of(row).containsKey(figure))
        .map(row -> new Plot.Point(below(row), figures.of(row).get(figure)))
        .sorted(Comparator.comparingDouble(Plot.Point::x))
        .toList();
  }

  /** What a chart has below: the number of clients, or the size of the data of paths. */
  private static int below(SeedRow row) {
    return row.load().audience().isPresent() ? row.load().bytes() : row.load().clients();
  }

  /** Servers that have a curve of their own. */
  private record Variant(Optional<Integer> threads, int servers) {

    static Variant of(SeedRow row) {
      return new Variant(row.threads(), row.load().servers());
    }

    String suffix() {
      return (servers == 1 ? "" : ", " + servers + " servers")
          + threads.map(loops -> ", " + Human.counted(loops, "thread")).orElse("");
    }
  }

  /** Curves for the fewest and the most servers and threads. */
  private static Plot plot(
      String file, String title, Figure figure, SeedsResult result, List<SeedRow> rows) {
    Set<Variant> variants = new LinkedHashSet<>();
    variants.add(Variant.of(rows.get(0)));
    variants.add(Variant.of(rows.get(rows.size() - 1)));
    Map<String, Figures> sides = new LinkedHashMap<>();
    sides.put("this service", SeedRow::ours);
    sides.put(result.peer(), row -> row.peer().orElse(Map.of()));
    sides.put(PUBLISHED, SeedRow::published);
    List<Plot.Curve> curves = new ArrayList<>();
    for (Variant variant : variants) {
      sides.forEach(
          (who, figures) ->
              curves.add(
                  new Plot.Curve(
                      who + variant.suffix(),
                      false,
                      points(
                          rows.stream().filter(row -> Variant.of(row).equals(variant)).toList(),
                          figures,
                          figure))));
    }
    String below =
        switch (result.workload().kind()) {
          case QUEUE -> SENDERS;
          case PUBLISH -> BYTES;
          case ECHO, REGISTRY, MIX, ACCESS -> CLIENTS;
        };
    return Plot.of(file, title, Axis.logarithmic(below), Axis.linear(figure.label()), curves);
  }
}
