package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * 60 pages beside the deliveries of 128 channels: nobody is dropped, and health is answered
 * meanwhile. The test prints times, and judges none. The system property {@code viewers.seconds}
 * sets the length of a turn, and makes the server run in a JVM as it is shipped.
 */
@Tag("proof-console")
class ViewersTest {

  private static final int VIEWERS = 60;
  private static final int TURNS = 2;
  private static final int SECONDS = Integer.getInteger("viewers.seconds", 6);

  /** Whether the server runs in a JVM as it is shipped. */
  private static final boolean IS_MEASURED = Integer.getInteger("viewers.seconds") != null;

  private static final String BODY =
      "{\"table\":\"orders\",\"tunnel\":\"" + LoadedTable.TUNNEL + "\"}";
  private static final Pattern DELIVERED =
      Pattern.compile("(?m)^tunnel_delivered_rows_total ([0-9.E]+)");
  private static final double TICKS_PER_SECOND = 100;

  @RegisterExtension final Stage stage = new Stage();

  /** Who watches during a turn. */
  private enum Watching {
    NOBODY,
    SNAPSHOTS,
    SNAPSHOTS_AND_PAGES
  }

  private static double delivered(ServerProcess server) {
    Matcher total = DELIVERED.matcher(server.http("/metrics", 200));
    assertThat(total.find()).isTrue();
    return Double.parseDouble(total.group(1));
  }

  @Test
  void sixty_viewers_beside_deliveries_are_all_served_and_so_is_health() throws Exception {
    ServerProcess server = IS_MEASURED ? stage.shippedServer() : stage.server();
    var unused = LoadedTable.on(stage, server);
    double first = delivered(server);
    Poll.until("deliveries begin", () -> delivered(server) > first + 1_000);
    List<String> report = new ArrayList<>();
    for (int turn = 0; turn < TURNS; turn++) {
      for (Watching watching : Watching.values()) {
        double before = delivered(server);
        report.add(turn(server, watching));
        assertThat(delivered(server)).as("deliveries go on").isGreaterThan(before);
      }
    }
    report.forEach(System.out::println);
  }

  private static String turn(ServerProcess server, Watching watching) throws Exception {
    List<Viewer> viewers = new ArrayList<>();
    try {
      for (int i = 0; watching != Watching.NOBODY && i < VIEWERS; i++) {
        viewers.add(new Viewer(server.httpPort(), BODY, watching == Watching.SNAPSHOTS_AND_PAGES));
      }
      Map<String, Long> cpuBefore = ticks(server.child().pid());
      long beganNanos = System.nanoTime();
      List<Long> healthNanos = new ArrayList<>();
      while (System.nanoTime() - beganNanos < SECONDS * 1_000_000_000L) {
        long askedNanos = System.nanoTime();
        assertThat(server.http("/health", 200)).contains("UP");
        healthNanos.add(System.nanoTime() - askedNanos);
      }
      double seconds = (System.nanoTime() - beganNanos) / 1e9;
      Map<String, Long> cpu = ticks(server.child().pid());
      cpuBefore.forEach((thread, ticks) -> cpu.merge(thread, -ticks, Long::sum));
      requireServed(viewers);
      return line(watching, server, new Costs(seconds, cpu, healthNanos));
    } finally {
      for (Viewer viewer : viewers) {
        viewer.close();
      }
    }
  }

  /** Each viewer gets further snapshots and answers: nobody was dropped. */
  private static void requireServed(List<Viewer> viewers) {
    Map<Viewer, long[]> before = new HashMap<>();
    for (Viewer viewer : viewers) {
      before.put(viewer, new long[] {viewer.snapshots(), viewer.answers()});
    }
    before.forEach(
        (viewer, counts) -> {
          Poll.until(
              "a viewer gets nothing more",
              () ->
                  viewer.wasDropped()
                      || (viewer.snapshots() > counts[0] + 1
                          && (!viewer.asks() || viewer.answers() > counts[1])));
          assertThat(viewer.wasDropped()).as("a viewer was dropped").isFalse();
        });
  }

  /**
   * What a turn cost.
   *
   * @param cpu ticks by thread
   */
  private record Costs(double seconds, Map<String, Long> cpu, List<Long> healthNanos) {

    double share(String threads) {
      return cpu.entrySet().stream()
              .filter(thread -> thread.getKey().matches(threads))
              .mapToLong(Map.Entry::getValue)
              .sum()
          / TICKS_PER_SECOND
          / seconds;
    }

    double healthMs(double share) {
      List<Long> sorted = healthNanos.stream().sorted().toList();
      return sorted.get((int) ((sorted.size() - 1) * share)) / 1e6;
    }
  }

  private static String line(Watching watching, ServerProcess server, Costs costs) {
    return String.format(
        "%-20s health %4d answers p50 %6.1f ms max %6.1f ms; cores: process %.3f, console's"
            + " threads %.3f; p99 from commit to delivery %6.1f ms (median of steps)",
        watching,
        costs.healthNanos().size(),
        costs.healthMs(0.5),
        costs.healthMs(1),
        costs.share(".*"),
        costs.share("(http|console|figures|forward|self).*"),
        p99Ms(server, (int) (costs.seconds() / 2)));
  }

  /** The median of the percentiles of the last steps of the server's history. */
  private static double p99Ms(ServerProcess server, int steps) {
    AtomicReference<JsonArray> series = new AtomicReference<>(new JsonArray());
    Poll.until(
        "no step with a delivery",
        () -> {
          series.set(
              JsonParser.parseString(server.http("/api/history", 200))
                  .getAsJsonObject()
                  .getAsJsonObject("series")
                  .getAsJsonArray("commitToDeliveryP99Ms"));
          return !known(series.get(), steps).isEmpty();
        });
    List<Double> sorted = known(series.get(), steps).stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  private static List<Double> known(JsonArray series, int steps) {
    return Stream.iterate(series.size() - 1, at -> at >= 0, at -> at - 1)
        .limit(steps)
        .map(series::get)
        .filter(value -> !value.isJsonNull())
        .map(JsonElement::getAsDouble)
        .toList();
  }

  /** Processor time of each thread of a process on Linux, in ticks of 10 ms, by name. */
  private static Map<String, Long> ticks(long pid) throws IOException {
    Map<String, Long> ticks = new TreeMap<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads.toList()) {
        try {
          String stat = Files.readString(thread.resolve("stat"));
          String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
          ticks.merge(
              Files.readString(thread.resolve("comm")).strip(),
              Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
              Long::sum);
        } catch (IOException e) {
          // The thread has ended meanwhile.
        }
      }
    }
    return ticks;
  }
}
