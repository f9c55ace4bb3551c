package io.tunnel.it.planted;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What has to notice a planted bug. */
sealed interface Judge {

  /** One world of the simulation of a server, or of the simulation of clusters. */
  record World(Kind kind, long seed) implements Judge {
    @Override
    public String module() {
      return "it/sim";
    }

    @Override
    public List<String> command() {
      return kind.command(seed, 1);
    }

    @Override
    public String toString() {
      return kind.word + " " + seed;
    }
  }

  /** The tests of one class of {@code module}, or one method of it. */
  record Tests(String module, String selector) implements Judge {
    private static final Pattern SELECTOR = Pattern.compile("[A-Za-z0-9_.$]+(#[A-Za-z0-9_]+)?");

    public Tests {
      if (!SELECTOR.matcher(selector).matches()) {
        throw new IllegalArgumentException("'" + selector + "' is not CLASS or CLASS#METHOD");
      }
    }

    /** The class, with its package. */
    String className() {
      int hash = selector.indexOf('#');
      return hash < 0 ? selector : selector.substring(0, hash);
    }

    @Override
    public List<String> command() {
      return List.of(JudgeMain.class.getName(), selector);
    }

    @Override
    public String toString() {
      return "test " + module + " " + selector;
    }
  }

  /** Which simulation. */
  enum Kind {
    SERVER("sim"),
    CLUSTER("cluster");

    final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The main class and arguments that run {@code count} worlds from {@code first} on. */
    List<String> command(long first, long count) {
      String from = Long.toString(first);
      String many = Long.toString(count);
      return switch (this) {
        case SERVER -> List.of("io.tunnel.it.sim.SimulationMain", "find", from, many);
        case CLUSTER ->
            List.of("io.tunnel.it.sim.cluster.ClusterSimulationMain", "find", from, many);
      };
    }
  }

  /** The module on whose classes it runs. */
  String module();

  /** The main class that judges, and its arguments. */
  List<String> command();

  /**
   * Reads what stands behind {@code Judge:}.
   *
   * @throws IllegalArgumentException when it is none of the three forms
   */
  static Judge parse(String text) {
    Matcher world = Pattern.compile("(sim|cluster) (\\d+)").matcher(text);
    if (world.matches()) {
      Kind kind = world.group(1).equals(Kind.SERVER.word) ? Kind.SERVER : Kind.CLUSTER;
      return new World(kind, Long.parseLong(world.group(2)));
    }
    Matcher tests = Pattern.compile("test (\\S+) (\\S+)").matcher(text);
    if (tests.matches()) {
      return new Tests(tests.group(1), tests.group(2));
    }
    throw new IllegalArgumentException(
        "'Judge: " + text + "' is not 'sim SEED', 'cluster SEED' or 'test MODULE CLASS[#METHOD]'");
  }
}
