package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.watch.WatchConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * What 100,000 watches take of a server while nothing matches, and what a change costs beside them.
 * The first change of each key proves that its watch stands.
 */
final class IdleWatchesFigure implements Figure<TunnelServerChild> {

  private static final int WATCHES = 100_000;

  /** The server takes 4,096 watched partitions of a connection. */
  private static final int WATCHES_OF_A_CLIENT = 4_000;

  private static final int ROWS = 150_000;
  private static final int ROUNDS = 4;
  private static final double MIB = 1 << 20;
  private static final String WATCHED = "watched";

  @Override
  public String name() {
    return "idle-watches";
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    Paths paths = Paths.create(setup);
    // The rows are there before, so that they are not counted as memory of watches.
    paths.write(WATCHED, WATCHES, WATCHES);
    writeOthers(paths, "before");
    ServerMemory memory = new ServerMemory(setup.servers().pid());
    long heap = memory.liveHeap();
    long resident = memory.resident();
    long began = setup.clock().nanos();
    List<TableClient> clients = new ArrayList<>();
    List<Watch> watches = new ArrayList<>();
    try {
      for (int i = 0; i < WATCHES; i++) {
        if (i % WATCHES_OF_A_CLIENT == 0) {
          clients.add(TableClient.connect(setup.servers().endpoint()));
        }
        watches.add(
            clients
                .get(clients.size() - 1)
                .watch(paths.name(), Paths.key(WATCHED, i), WatchConfig.FROM_NOW));
      }
      double seconds = (setup.clock().nanos() - began) / 1e9;
      paths.write(WATCHED, WATCHES, WATCHES);
      paths.take(watches, WATCHES);
      setup
          .out()
          .printf(
              "watches                   %,d over %d connections, opened in %.0f s%n",
              WATCHES, clients.size(), seconds);
      long bytes = memory.liveHeap() - heap;
      setup
          .out()
          .printf(
              "live heap of all          %.1f MiB, %,d bytes each%n", bytes / MIB, bytes / WATCHES);
      setup
          .out()
          .printf("resident memory of all    %.1f MiB%n", (memory.resident() - resident) / MIB);
      writeOthers(paths, "beside them");
    } finally {
      clients.forEach(TableClient::close);
    }
  }

  private static void writeOthers(Paths paths, String when) {
    FigureSetup<TunnelServerChild> setup = paths.setup();
    for (int round = 0; round < ROUNDS; round++) {
      long cpu = setup.servers().cpuNanos();
      long began = setup.clock().nanos();
      paths.write("other", ROWS, WATCHES);
      double seconds = (setup.clock().nanos() - began) / 1e9;
      setup.pause(2_000);
      double micros = (setup.servers().cpuNanos() - cpu) / 1e3;
      setup
          .out()
          .printf(
              "changes %-12s      %,9.0f changes/s  %6.2f us of server CPU a change%n",
              when, ROWS / seconds, micros / ROWS);
    }
  }
}
