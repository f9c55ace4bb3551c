package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the server needs for each of 3,000 idle workers that only keep their session. */
final class IdleConnectionsFigure implements Figure<TunnelServerChild> {

  private static final int CONNECTIONS = 3_000;
  private static final long HELD_MS = 30_000;
  private static final long HEARTBEAT_MS = 5_000;
  private static final double KIB = 1024.0;

  @Override
  public String name() {
    return "connections";
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    var unused = setup.newTable("connections", 128);
    String tunnelId = setup.newTunnel("connections");
    ServerMemory memory = new ServerMemory(setup.servers().pid());
    long heapBefore = memory.liveHeap();
    long residentBefore = memory.resident();
    List<IdleSession> sessions = new ArrayList<>();
    try {
      LoadClock clock = setup.clock();
      long begun = clock.nanos();
      for (int i = 0; i < CONNECTIONS; i++) {
        sessions.add(IdleSession.open(setup.servers().endpoint(), tunnelId, "idle-" + i));
      }
      long opened = clock.nanos();
      long endNanos = opened + TimeUnit.MILLISECONDS.toNanos(HELD_MS);
      while (clock.nanos() - endNanos < 0) {
        for (IdleSession session : sessions) {
          session.heartbeat();
        }
        setup.pause(HEARTBEAT_MS);
      }
      long resident = memory.resident() - residentBefore;
      long heap = memory.liveHeap() - heapBefore;
      setup
          .out()
          .printf(
              "sessions held             %d, opened in %.1f s%n",
              sessions.size(), (opened - begun) / 1e9);
      setup.out().printf("live heap of each         %.1f KiB%n", heap / KIB / CONNECTIONS);
      setup.out().printf("resident memory of each   %.1f KiB%n", resident / KIB / CONNECTIONS);
    } finally {
      for (IdleSession session : sessions) {
        session.close();
      }
    }
  }
}
