package io.tunnel.it.sim;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs worlds, and says of those that break what is needed to see why. */
public final class Worlds {

  private Worlds() {}

  /** A world that broke. */
  record Failed(long seed, Throwable reason, List<String> lastLines, String dump) {

    /** An error that says how to see it again. */
    AssertionError toError() {
      return new AssertionError(
          "seed "
              + seed
              + " breaks "
              + reason.getMessage()
              + "\nThe last events:\n"
              + String.join("\n", lastLines)
              + "\nThen:\n"
              + dump
              + Seeds.replay("SimulationTest", "sim", seed),
          reason);
    }
  }

  /** Runs one seed to its end. */
  static void run(long seed, Consumer<Map<Happening, Long>> happened, Consumer<Failed> whenFailed) {
    Simulation simulation = new Simulation(seed, line -> {});
    try {
      simulation.run();
      happened.accept(simulation.world.happened);
    } catch (RuntimeException | Error e) {
      whenFailed.accept(
          new Failed(seed, e, simulation.world.trace.lastLines(), simulation.world.dump()));
    }
  }

  /** Runs one seed and prints everything; returns the hash of it. */
  static long replay(long seed, PrintStream out) {
    Simulation simulation = new Simulation(seed, out::println);
    simulation.run();
    return simulation.world.trace.hash();
  }

  static long hash(long seed) {
    Simulation simulation = new Simulation(seed, line -> {});
    simulation.run();
    return simulation.world.trace.hash();
  }

  /**
   * What {@code main} of another process of the same program says of some seeds. Its objects have
   * other identities than those of this process, so an order that comes of them shows.
   */
  public static String hashesElsewhere(Class<?> main, long first, long count)
      throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName(),
                "hashes",
                Long.toString(first),
                Long.toString(count))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    other.waitFor();
    return text;
  }
}
