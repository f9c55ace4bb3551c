package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.FreePort;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A service that moves between a single server and clusters by backup and restore, and keeps its
 * two addresses. Backups and restores are real programs.
 */
final class MovedService implements Service {

  private static final String CLUSTER = "circle";

  private final Stage stage;
  private final List<Integer> ports = List.of(FreePort.find(), FreePort.find());
  private final Path backup;
  private final List<ServerProcess> processes = new ArrayList<>();

  /** What has the data: a directory, or a cluster in a Kafka. */
  sealed interface Place {
    /** A single server. */
    record Directory(Path data) implements Place {}

    /** Nodes on a Kafka. */
    record Kafka(String bootstrap, int nodes) implements Place {}
  }

  MovedService(Stage stage) {
    this.stage = stage;
    this.backup = stage.path("backup");
  }

  @Override
  public String endpoint() {
    return "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1);
  }

  @Override
  public ClientConfig client() {
    return ClientConfig.of(endpoint())
        .withConnectDeadline(Duration.ofSeconds(2))
        .withRetryDeadline(Poll.LONG)
        .withWriteRetryDeadline(Poll.LONG);
  }

  List<Integer> ports() {
    return ports.subList(0, processes.size());
  }

  /** Starts the programs that serve what is at a place. */
  void start(Place place) {
    processes.clear();
    if (place instanceof Place.Directory directory) {
      processes.add(process("server", directory.data(), ports.get(0), List.of()));
    } else if (place instanceof Place.Kafka kafka) {
      for (int i = 0; i < kafka.nodes(); i++) {
        List<String> options = new ArrayList<>(List.of("--log", "kafka", "--node", "n" + i));
        options.addAll(List.of("--cluster", CLUSTER, "--bootstrap", kafka.bootstrap()));
        options.addAll(List.of("--replication", "1", "--standbys", "" + (kafka.nodes() - 1)));
        processes.add(process("n" + i, stage.path("n" + i), ports.get(i), options));
      }
    }
    processes.forEach(ServerProcess::begin);
    processes.forEach(ServerProcess::awaitReady);
  }

  private ServerProcess process(String name, Path data, int port, List<String> options) {
    return new ServerProcess(stage, name, data, port, options);
  }

  /** Ends all programs as a crash does. */
  void kill() {
    processes.forEach(ServerProcess::kill);
  }

  /** Takes a backup, while the service works. */
  void backUp(Place from) {
    if (from instanceof Place.Directory directory) {
      run("backup", "--data", directory.data().toString(), "--to", backup.toString());
    } else if (from instanceof Place.Kafka kafka) {
      List<String> command = new ArrayList<>(List.of("cluster", "backup"));
      command.addAll(List.of("--bootstrap", kafka.bootstrap(), "--cluster", CLUSTER));
      command.addAll(List.of("--to", backup.toString()));
      command.addAll(List.of("--work", stage.path("work").toString()));
      run(command.toArray(String[]::new));
    }
  }

  /** Restores the newest backup. */
  void restore(Place to) {
    if (to instanceof Place.Directory directory) {
      run("restore", "--from", backup.toString(), "--data", directory.data().toString());
    } else if (to instanceof Place.Kafka kafka) {
      List<String> command = new ArrayList<>(List.of("cluster", "restore"));
      command.addAll(List.of("--from", backup.toString()));
      command.addAll(List.of("--work", stage.path("work").toString()));
      command.addAll(List.of("--bootstrap", kafka.bootstrap(), "--cluster", CLUSTER));
      command.addAll(List.of("--replication", "1"));
      run(command.toArray(String[]::new));
    }
  }

  private void run(String... command) {
    ChildProcess program = stage.child(command[0], ServerProcess.MAIN, List.of(command));
    assertThat(program.awaitExit()).as(program::transcript).isZero();
  }
}
