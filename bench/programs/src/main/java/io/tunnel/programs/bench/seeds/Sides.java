package io.tunnel.programs.bench.seeds;

import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Measures each kind of workload on this service or on a peer. */
final class Sides {

  private static final String REPEAT = "repeat";
  private static final String REGISTER = "register";
  private static final double KIB = 1 << 10;

  /** Event loops of a peer where the workload names none. */
  private static final int THREADS_DEFAULT = 2;

  private final LoadClock clock;

  Sides(LoadClock clock) {
    this.clock = clock;
  }

  /**
   * This service.
   *
   * @param remarks hears what people have to know
   */
  Beside own(Workload.Kind kind, Consumer<String> remarks) {
    return switch (kind) {
      case ECHO ->
          (workload, load, threads, directory) -> {
            try (OwnServer server = OwnServer.start(directory, settings(threads, load))) {
              return echo(workload, load, server);
            }
          };
      case REGISTRY -> this::ownRegistry;
      case MIX -> this::ownMix;
      case QUEUE -> new LoadSide(clock)::queues;
      case PUBLISH -> new LoadSide(clock)::paths;
      case ACCESS -> new AccessSide(clock, Needs.localPorts() - Needs.OTHER_PORTS, remarks)::own;
    };
  }

  private static OwnServer.Settings settings(Optional<Integer> threads, Load load) {
    return new OwnServer.Settings(threads, Optional.empty(), load.clients());
  }

  /** A bare echo of Netty. */
  Beside echoPeer() {
    return (workload, load, threads, directory) -> {
      try (EchoServer server = EchoServer.start(directory, threads.orElse(THREADS_DEFAULT))) {
        return echo(workload, load, server);
      }
    };
  }

  /** An etcd. */
  Beside etcdPeer(Path program) {
    return (workload, load, threads, directory) -> {
      try (EtcdServer server = EtcdServer.start(program, directory, load.servers(), clock)) {
        return registry(
            workload,
            load,
            server,
            EtcdDialogue::new,
            (isPut, names) -> new EtcdRequests(isPut, names));
      }
    };
  }

  private Map<String, Map<Figure, Double>> echo(Workload workload, Load load, SeedServer server)
      throws InterruptedException {
    long idleBytes = server.residentBytes();
    try (ClosedLoop loop =
        ClosedLoop.open(server::port, load.clients(), TunnelDialogue::new, clock)) {
      double ofConnection = (double) (server.residentBytes() - idleBytes) / load.clients();
      if (workload.times().warmUp() > 0) {
        var unused = loop.runFor(workload.times().warmUp(), new EchoRequests(true, load.bytes()));
      }
      Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
      for (String operation : workload.operations()) {
        EchoRequests requests = new EchoRequests(operation.equals(REPEAT), load.bytes());
        Map<Figure, Double> figures =
            figures(loop.runFor(workload.times().measured(), requests), server);
        if (idleBytes > 0) {
          figures.put(Figure.CONNECTION_BYTES, Math.max(0, ofConnection));
        }
        byOperation.put(operation, figures);
      }
      return byOperation;
    }
  }

  private static void warmUp(Workload workload, Load load, ClosedLoop loop, Requests requests)
      throws InterruptedException {
    if (workload.times().warmUp() > 0) {
      var unused =
          loop.runFor(workload.times().warmUp(), new Repeated(requests, load.requestsOfClient()));
    }
  }

  /** What clients saw, and the memory of the server now. */
  static Map<Figure, Double> figures(Trips trips, SeedServer server) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.putAll(trips.figures());
    long resident = server.residentBytes();
    if (resident > 0) {
      figures.put(Figure.RESIDENT_KIB, resident / KIB);
    }
    return figures;
  }

  private Map<String, Map<Figure, Double>> ownRegistry(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    if (load.servers() > 1) {
      try (OwnCluster cluster = OwnCluster.start(directory, threads, load, clock)) {
        return registry(
            workload,
            load,
            cluster,
            TunnelDialogue::new,
            (isPut, names) ->
                new TableRequests(isPut, names, cluster.tableId(), cluster::partition));
      }
    }
    try (OwnServer server = OwnServer.start(directory, settings(threads, load))) {
      TableInfo table;
      try (TableClient client = TableClient.connect(server.endpoint())) {
        table =
            client.createTable(
                new TableMeta("names", TableRequests.KEY, new TableOptions(Durability.FSYNC)));
      }
      int partition = table.partitions().get(0).id();
      return registry(
          workload,
          load,
          server,
          TunnelDialogue::new,
          (isPut, names) -> new TableRequests(isPut, names, table.tableId(), client -> partition));
    }
  }

  private Map<String, Map<Figure, Double>> ownMix(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    MixRows rows = new MixRows(load.rowsBefore().orElseThrow(), load.bytes());
    try (OwnServer server = OwnServer.start(directory, settings(threads, load))) {
      TableInfo table;
      try (TableClient client = TableClient.connect(server.endpoint())) {
        table =
            client.createTable(
                new TableMeta("work", MixRows.KEY, new TableOptions(Durability.FSYNC)));
        writeBefore(client, table.meta().name(), rows);
      }
      int partition = table.partitions().get(0).id();
      try (ClosedLoop loop =
          ClosedLoop.open(server::port, load.clients(), TunnelDialogue::new, clock)) {
        Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
        for (String operation : workload.operations()) {
          Requests asked =
              new MixRequests(workload.steps().get(operation), rows, table.tableId(), partition);
          if (workload.times().warmUp() > 0) {
            var unused = loop.runFor(workload.times().warmUp(), asked);
          }
          byOperation.put(
              operation, figures(loop.runFor(workload.times().measured(), asked), server));
        }
        return byOperation;
      }
    }
  }

  private static void writeBefore(TableClient client, String table, MixRows rows) {
    AtomicReference<Optional<RowResult>> refused = new AtomicReference<>(Optional.empty());
    try (TableWriter writer = client.openWriter(table, TableWriterConfig.DEFAULTS)) {
      for (int number = 0; number < rows.before(); number++) {
        writer.add(
            rows.put(rows.before(number)),
            (row, result) -> {
              if (!result.isApplied()) {
                refused.set(Optional.of(result));
              }
            });
      }
      writer.flush();
    }
    refused
        .get()
        .ifPresent(
            result -> {
              throw CommandFailure.failed("a row from before was not written: " + result);
            });
  }

  private Map<String, Map<Figure, Double>> registry(
      Workload workload,
      Load load,
      SeedServer server,
      Supplier<Dialogue> dialogues,
      BiFunction<Boolean, Names, Requests> requests)
      throws InterruptedException {
    Names names = new Names(load.bytes(), load.namesOfClient());
    try (ClosedLoop loop = ClosedLoop.open(server::port, load.clients(), dialogues, clock)) {
      if (!workload.operations().contains(REGISTER)) {
        // What is looked up must be there.
        var unused = loop.runRequests(load.requestsOfClient(), requests.apply(true, names));
      }
      Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
      for (String operation : workload.operations()) {
        Requests asked = requests.apply(operation.equals(REGISTER), names);
        warmUp(workload, load, loop, asked);
        byOperation.put(
            operation, figures(loop.runRequests(load.requestsOfClient(), asked), server));
      }
      return byOperation;
    }
  }
}
