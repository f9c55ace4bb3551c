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
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Measures echo, registry and mix, whose clients have one open request each, on a server. */
final class ClosedLoads {

  private static final String REPEAT = "repeat";
  private static final String REGISTER = "register";
  private static final double KIB = 1 << 10;

  private final LoadClock clock;

  ClosedLoads(LoadClock clock) {
    this.clock = clock;
  }

  /**
   * A server that is measured.
   *
   * @param clients connect to it
   * @param residentBytes memory of its process; 0 where nobody can say
   */
  record Target(ClosedLoop.Clients clients, LongSupplier residentBytes) {

    /** A server on this machine, in the bytes of a dialogue. */
    static Target of(SeedServer server, Supplier<Dialogue> dialogues) {
      return new Target(LoadClient.on(server::port, dialogues), server::residentBytes);
    }
  }

  /** Bytes that come back, or are acknowledged. */
  Map<String, Map<Figure, Double>> echo(Workload workload, Load load, Target target)
      throws InterruptedException {
    long idleBytes = target.residentBytes().getAsLong();
    try (ClosedLoop loop = ClosedLoop.open(target.clients(), load.clients(), clock)) {
      double ofConnection =
          (double) (target.residentBytes().getAsLong() - idleBytes) / load.clients();
      if (workload.times().warmUp() > 0) {
        var unused = loop.runFor(workload.times().warmUp(), new EchoRequests(true, load.bytes()));
      }
      Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
      for (String operation : workload.operations()) {
        EchoRequests requests = new EchoRequests(operation.equals(REPEAT), load.bytes());
        Map<Figure, Double> figures =
            figures(loop.runFor(workload.times().measured(), requests), target.residentBytes());
        if (idleBytes > 0) {
          figures.put(Figure.CONNECTION_BYTES, Math.max(0, ofConnection));
        }
        byOperation.put(operation, figures);
      }
      return byOperation;
    }
  }

  /**
   * Clients register names, and look the names up.
   *
   * @param requests makes the requests of a phase: whether the clients register, and the names
   */
  Map<String, Map<Figure, Double>> registry(
      Workload workload, Load load, Target target, BiFunction<Boolean, Names, Requests> requests)
      throws InterruptedException {
    Names names = new Names(load.bytes(), load.namesOfClient());
    try (ClosedLoop loop = ClosedLoop.open(target.clients(), load.clients(), clock)) {
      if (!workload.operations().contains(REGISTER)) {
        // What is looked up must be there.
        var unused = loop.runRequests(load.requestsOfClient(), requests.apply(true, names));
      }
      Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
      for (String operation : workload.operations()) {
        Requests asked = requests.apply(operation.equals(REGISTER), names);
        if (workload.times().warmUp() > 0) {
          var unused =
              loop.runFor(workload.times().warmUp(), new Repeated(asked, load.requestsOfClient()));
        }
        byOperation.put(
            operation,
            figures(loop.runRequests(load.requestsOfClient(), asked), target.residentBytes()));
      }
      return byOperation;
    }
  }

  /**
   * Operations of several requests on rows of a table, which is made with its rows from before.
   *
   * @param table its name
   * @param targets the server that has a table
   */
  Map<String, Map<Figure, Double>> mix(
      Workload workload,
      Load load,
      TableClient client,
      String table,
      Function<TableInfo, Target> targets)
      throws InterruptedException {
    MixRows rows = new MixRows(load.rowsBefore().orElseThrow(), load.bytes());
    var unusedTable =
        client.createTable(new TableMeta(table, MixRows.KEY, new TableOptions(Durability.FSYNC)));
    writeBefore(client, table, rows);
    TableInfo made = client.partitionMap(table);
    Target target = targets.apply(made);
    int partition = made.partitions().get(0).id();
    try (ClosedLoop loop = ClosedLoop.open(target.clients(), load.clients(), clock)) {
      Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
      for (String operation : workload.operations()) {
        Requests asked =
            new MixRequests(workload.steps().get(operation), rows, made.tableId(), partition);
        if (workload.times().warmUp() > 0) {
          var unused = loop.runFor(workload.times().warmUp(), asked);
        }
        byOperation.put(
            operation,
            figures(loop.runFor(workload.times().measured(), asked), target.residentBytes()));
      }
      return byOperation;
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

  /** What clients saw, and the memory of the server now. */
  static Map<Figure, Double> figures(Trips trips, LongSupplier residentBytes) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.putAll(trips.figures());
    long resident = residentBytes.getAsLong();
    if (resident > 0) {
      figures.put(Figure.RESIDENT_KIB, resident / KIB);
    }
    return figures;
  }
}
