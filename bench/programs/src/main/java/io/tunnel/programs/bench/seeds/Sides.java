package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.ClosedLoads.Target;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.sdk.TableClient;
import io.tunnel.stress.LoadClock;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Measures each kind of workload on servers that it starts, of this service or of a peer. */
final class Sides {

  /** Event loops of a peer where the workload names none. */
  private static final int THREADS_DEFAULT = 2;

  private final LoadClock clock;
  private final ClosedLoads closed;

  Sides(LoadClock clock) {
    this.clock = clock;
    this.closed = new ClosedLoads(clock);
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
              return closed.echo(workload, load, Target.of(server, TunnelDialogue::new));
            }
          };
      case REGISTRY -> this::ownRegistry;
      case MIX ->
          (workload, load, threads, directory) -> {
            try (OwnServer server = OwnServer.start(directory, settings(threads, load));
                TableClient client = TableClient.connect(server.endpoint())) {
              return closed.mix(
                  workload, load, client, "work", made -> Target.of(server, TunnelDialogue::new));
            }
          };
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
        return closed.echo(workload, load, Target.of(server, TunnelDialogue::new));
      }
    };
  }

  /** An etcd. */
  Beside etcdPeer(Path program) {
    return (workload, load, threads, directory) -> {
      try (EtcdServer server = EtcdServer.start(program, directory, load.servers(), clock)) {
        return closed.registry(
            workload, load, Target.of(server, EtcdDialogue::new), EtcdRequests::new);
      }
    };
  }

  private Map<String, Map<Figure, Double>> ownRegistry(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    if (load.servers() > 1) {
      try (OwnCluster cluster = OwnCluster.start(directory, threads, load, clock)) {
        Target target = Target.of(cluster, TunnelDialogue::new);
        return closed.registry(workload, load, target, cluster.table()::requests);
      }
    }
    try (OwnServer server = OwnServer.start(directory, settings(threads, load))) {
      RegistryTable table;
      try (TableClient client = TableClient.connect(server.endpoint())) {
        table = RegistryTable.create(client, "names", load);
      }
      Target target = Target.of(server, TunnelDialogue::new);
      return closed.registry(workload, load, target, table::requests);
    }
  }
}
