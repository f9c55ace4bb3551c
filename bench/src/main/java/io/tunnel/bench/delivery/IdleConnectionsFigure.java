package io.tunnel.bench.delivery;

import io.tunnel.bench.figures.Figure;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** What the server needs for each of 3,000 idle workers that only keep their session. */
final class IdleConnectionsFigure implements Figure<Bed> {

  private static final int CONNECTIONS = 3_000;
  private static final long HELD_MS = 30_000;
  private static final long HEARTBEAT_MS = 5_000;
  private static final double KIB = 1024.0;

  @Override
  public String name() {
    return "connections";
  }

  @Override
  public void measure(Bed bed) throws Exception {
    String tunnelId = bed.newTunnel("connections", 128);
    long pid = bed.server().pid();
    long heapBefore = liveHeap(pid);
    long residentBefore = resident(pid);
    List<IdleSession> sessions = new ArrayList<>();
    try {
      LoadClock clock = bed.clock();
      long begun = clock.nanos();
      for (int i = 0; i < CONNECTIONS; i++) {
        sessions.add(IdleSession.open(bed.server().endpoint(), tunnelId, "idle-" + i));
      }
      long opened = clock.nanos();
      long endNanos = opened + TimeUnit.MILLISECONDS.toNanos(HELD_MS);
      while (clock.nanos() - endNanos < 0) {
        for (IdleSession session : sessions) {
          session.heartbeat();
        }
        bed.pause(HEARTBEAT_MS);
      }
      long resident = resident(pid) - residentBefore;
      long heap = liveHeap(pid) - heapBefore;
      bed.out()
          .printf(
              "sessions held             %d, opened in %.1f s%n",
              sessions.size(), (opened - begun) / 1e9);
      bed.out().printf("live heap of each         %.1f KiB%n", heap / KIB / CONNECTIONS);
      bed.out().printf("resident memory of each   %.1f KiB%n", resident / KIB / CONNECTIONS);
    } finally {
      for (IdleSession session : sessions) {
        session.close();
      }
    }
  }

  /** Bytes of live objects, after a full collection. */
  private static long liveHeap(long pid) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String total =
        text.lines()
            .filter(line -> line.startsWith("Total"))
            .findFirst()
            .orElseThrow(() -> new IOException("jcmd said: " + text));
    return number(total, 1);
  }

  private static long resident(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return number(line, 0) * 1024;
      }
    }
    throw new IOException("no VmRSS of process " + pid);
  }

  /** The number at that place among the numbers of a line. */
  private static long number(String line, int place) {
    return Pattern.compile("\\d+")
        .matcher(line)
        .results()
        .skip(place)
        .findFirst()
        .map(found -> Long.parseLong(found.group()))
        .orElseThrow();
  }
}
